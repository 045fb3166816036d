#include "engine/layers/blocks/channel_mixing.h"

#include <ATen/ATen.h>

#include "engine/layers/norm/activation.h"
#include "engine/layers/sequences/tokens.h"

namespace lambda {

MlpImpl::MlpImpl(std::int64_t depth, std::int64_t hidden, Activation activation)
    : expand(registerLinear("expand", ParameterRole::projection, {depth, hidden})),
      project(registerLinear("project", ParameterRole::projection, {hidden, depth})),
      activation_(activation) {}

at::Tensor MlpImpl::forward(const at::Tensor& x) {
  const at::Tensor tokens = tokensOf(x);
  return mapOf(project(activate(expand(tokens), activation_)), x.size(2), x.size(3));
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
  const at::Tensor squares = at::relu(key(shifted(timeMixK))).square();
  return at::sigmoid(receptance(shifted(timeMixR))) * value(squares);
}

at::Tensor RwkvChannelMixingImpl::forward(const at::Tensor& x) {
  const at::Tensor tokens = tokensOf(x);
  return mapOf(mixed(tokens, tokensBefore(tokens)), x.size(2), x.size(3));
}

at::Tensor RwkvChannelMixingImpl::step(const at::Tensor& x, LayerState& state) {
  const at::NoGradGuard noGradients;
  const at::Tensor tokens = tokensOf(x);
  if (state.empty()) state = {at::zeros_like(tokens.select(1, 0))};
  return mapOf(mixed(tokens, tokensBefore(tokens, state[0])), x.size(2), x.size(3));
}

}  // namespace lambda
