#include "engine/layers/sequences/rwkv_time_mixing.h"

#include <cmath>

#include <ATen/ATen.h>

#include "engine/kernels/token_step/token_step_kernel.h"
#include "engine/layers/linear_product.h"
#include "engine/layers/mixers/mixers.h"
#include "engine/layers/sequences/one_token.h"
#include "engine/layers/sequences/tokens.h"
#include "engine/layers/torch_threads.h"

namespace lambda {

namespace {

// The authors' initial values depend on the depth of the layer, 0 for the first and 1 for the last.
constexpr double kLayerDepth = 0.5;

at::Tensor initialDecay(std::int64_t depth) {
  return at::linspace(0, 1, depth, at::kDouble).pow(0.7 + 1.3 * kLayerDepth) * 8 - 5;
}

at::Tensor initialBonus(std::int64_t depth) {
  return ((at::arange(depth, at::kDouble) + 1).remainder(3) - 1) * 0.5 + std::log(0.3);
}

at::Tensor initialShare(std::int64_t depth, double exponent) {
  return (at::arange(depth, at::kDouble) / static_cast<double>(depth)).pow(exponent);
}

}  // namespace

RwkvTimeMixingImpl::RwkvTimeMixingImpl(std::int64_t inputDepth, std::int64_t depth) {
  const auto vector = [&](const char* name, const at::Tensor& start) {
    return registerParameter(name, ParameterRole::norm, start.to(at::kFloat));
  };
  timeDecay = vector("time_decay", initialDecay(depth));
  timeFirst = vector("time_first", initialBonus(depth));
  const at::Tensor share = initialShare(inputDepth, 1 - kLayerDepth);
  timeMixK = vector("time_mix_k", share);
  timeMixV = vector("time_mix_v", share + 0.3 * kLayerDepth);
  timeMixR = vector("time_mix_r", initialShare(inputDepth, 0.5 * (1 - kLayerDepth)));
  const auto matrix = [&](const char* name, std::int64_t inputs, double deviation) {
    torch::nn::Linear linear = registerLinear(
        name, ParameterRole::projection, torch::nn::LinearOptions(inputs, depth).bias(false));
    drawNormal(linear->weight, deviation);
    return linear;
  };
  key = matrix("key", inputDepth, 0);
  value = matrix("value", inputDepth, 1 / std::sqrt(static_cast<double>(inputDepth)));
  receptance = matrix("receptance", inputDepth, 0);
  output = matrix("output", depth, 0);
}

TimeMixingOperands RwkvTimeMixingImpl::operandsOf(const at::Tensor& tokens,
                                                  const at::Tensor& before) {
  const auto shifted = [&](const at::Tensor& share) { return at::lerp(before, tokens, share); };
  const auto type = timeDecay.scalar_type();
  const at::Tensor keys = linearProduct(shifted(timeMixK), key->weight).to(type);
  const at::Tensor values = linearProduct(shifted(timeMixV), value->weight).to(type);
  const at::Tensor gate = at::sigmoid(linearProduct(shifted(timeMixR), receptance->weight));
  return {{keys, values, timeDecay, timeFirst}, gate};
}

TimeMixingOperands RwkvTimeMixingImpl::operands(const at::Tensor& x) {
  const at::Tensor tokens = tokensOf(x).to(timeDecay.scalar_type());
  return operandsOf(tokens, tokensBefore(tokens));
}

at::Tensor RwkvTimeMixingImpl::forward(const at::Tensor& x) {
  const TimeMixingOperands parts = operands(x);
  return mapOf(linearProduct(parts.gate * wkv(parts.wkv), output->weight), x.size(2), x.size(3));
}

/// The output [1, d, 1, 1] of one token by the kernel.
at::Tensor RwkvTimeMixingImpl::stepOfToken(const at::Tensor& x, LayerState& state) const {
  at::Tensor y = at::empty({1, output->weight.size(0), 1, 1}, x.options());
  const at::Tensor sums = at::empty(state[1].sizes(), x.options());
  const auto shifted = [](const at::Tensor& share, const torch::nn::Linear& linear) {
    return ShiftedProjection{numbersOf(share), numbersOf(linear->weight)};
  };
  mixTime({x.size(1),
           y.size(1),
           shifted(timeMixK, key),
           shifted(timeMixV, value),
           shifted(timeMixR, receptance),
           numbersOf(output->weight),
           numbersOf(timeDecay),
           numbersOf(timeFirst)},
          {x.const_data_ptr<float>(), numbersOf(state[0])},
          numbersOf(state[1]),
          sums.mutable_data_ptr<float>(),
          y.mutable_data_ptr<float>(),
          onTorchThreads);
  state = {x.view({1, -1}), sums};
  return y;
}

at::Tensor RwkvTimeMixingImpl::step(const at::Tensor& x, LayerState& state) {
  const at::NoGradGuard noGradients;
  if (!state.empty() && isOneToken(x, timeDecay)) return stepOfToken(x, state);
  const at::Tensor tokens = tokensOf(x).to(timeDecay.scalar_type());
  if (state.empty()) {
    state = {at::zeros_like(tokens.select(1, 0)),
             emptyWkvSums(tokens.size(0), timeDecay.size(0), tokens.options())};
  }
  const TimeMixingOperands parts = operandsOf(tokens, tokensBefore(tokens, state[0]));
  const at::Tensor y = linearProduct(parts.gate * continueWkv(parts.wkv, state[1]), output->weight);
  return mapOf(y, x.size(2), x.size(3));
}

MapFunction addMixer(RoledModule& unit,
                     const RwkvMixer& /*mixer*/,
                     const PlacedMixer& place,
                     const PositionEmbeddingTable& /*shared*/) {
  RwkvTimeMixing layer =
      unit.register_module("layer", RwkvTimeMixing(place.input.channels, place.output.channels));
  return [layer](const at::Tensor& x) mutable { return layer(x); };
}

}  // namespace lambda
