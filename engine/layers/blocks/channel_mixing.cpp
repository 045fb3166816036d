#include "engine/layers/blocks/channel_mixing.h"

#include <ATen/ATen.h>

#include "engine/kernels/token_step/token_step_kernel.h"
#include "engine/layers/linear_product.h"
#include "engine/layers/norm/activation.h"
#include "engine/layers/sequences/one_token.h"
#include "engine/layers/sequences/tokens.h"
#include "engine/layers/torch_threads.h"

namespace lambda {

MlpImpl::MlpImpl(std::int64_t depth, std::int64_t hidden, Activation activation)
    : expand(registerLinear("expand", ParameterRole::projection, {depth, hidden})),
      project(registerLinear("project", ParameterRole::projection, {hidden, depth})),
      activation_(activation) {}

at::Tensor MlpImpl::forward(const at::Tensor& x) {
  const at::Tensor tokens = tokensOf(x);
  const at::Tensor hidden =
      activate(linearProduct(tokens, expand->weight, expand->bias), activation_);
  return mapOf(linearProduct(hidden, project->weight, project->bias), x.size(2), x.size(3));
}

RwkvChannelMixingImpl::RwkvChannelMixingImpl(std::int64_t depth, std::int64_t hidden)
    : timeMixK(registerParameter("time_mix_k", ParameterRole::norm, at::full({depth}, 0.5))),
      timeMixR(registerParameter("time_mix_r", ParameterRole::norm, at::full({depth}, 0.5))) {
  const auto matrix = [&](const char* name, std::int64_t inputs, std::int64_t outputs) {
    return registerLinear(
        name, ParameterRole::projection, torch::nn::LinearOptions(inputs, outputs).bias(false));
  };
  key = matrix("key", depth, hidden);
  receptance = matrix("receptance", depth, depth);
  value = matrix("value", hidden, depth);
}

at::Tensor RwkvChannelMixingImpl::mixed(const at::Tensor& tokens, const at::Tensor& before) {
  const auto shifted = [&](const at::Tensor& share) { return at::lerp(before, tokens, share); };
  const at::Tensor squares = at::relu(linearProduct(shifted(timeMixK), key->weight)).square();
  return at::sigmoid(linearProduct(shifted(timeMixR), receptance->weight)) *
         linearProduct(squares, value->weight);
}

at::Tensor RwkvChannelMixingImpl::forward(const at::Tensor& x) {
  const at::Tensor tokens = tokensOf(x).to(timeMixK.scalar_type());
  return mapOf(mixed(tokens, tokensBefore(tokens)), x.size(2), x.size(3));
}

/// The output [1, d, 1, 1] of one token by the kernel.
at::Tensor RwkvChannelMixingImpl::stepOfToken(const at::Tensor& x, LayerState& state) const {
  at::Tensor y = at::empty(x.sizes(), x.options());
  mixChannels({x.size(1),
               key->weight.size(0),
               {numbersOf(timeMixK), numbersOf(key->weight)},
               {numbersOf(timeMixR), numbersOf(receptance->weight)},
               numbersOf(value->weight)},
              {x.const_data_ptr<float>(), numbersOf(state[0])},
              y.mutable_data_ptr<float>(),
              onTorchThreads);
  state = {x.view({1, -1})};
  return y;
}

at::Tensor RwkvChannelMixingImpl::step(const at::Tensor& x, LayerState& state) {
  const at::NoGradGuard noGradients;
  if (!state.empty() && isOneToken(x, timeMixK)) return stepOfToken(x, state);
  const at::Tensor tokens = tokensOf(x).to(timeMixK.scalar_type());
  if (state.empty()) state = {at::zeros_like(tokens.select(1, 0))};
  return mapOf(mixed(tokens, tokensBefore(tokens, state[0])), x.size(2), x.size(3));
}

}  // namespace lambda
