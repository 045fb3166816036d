#include "engine/layers/norm/layer_norm.h"

#include <ATen/ATen.h>

#include "engine/kernels/token_step/token_step_kernel.h"
#include "engine/layers/sequences/one_token.h"
#include "engine/layers/sequences/tokens.h"

namespace lambda {

LayerNormImpl::LayerNormImpl(std::int64_t channels)
    : weight(registerParameter("weight", ParameterRole::norm, at::ones({channels}))),
      bias(registerParameter("bias", ParameterRole::norm, at::zeros({channels}))) {}

at::Tensor LayerNormImpl::forward(const at::Tensor& x) {
  if (isOneToken(x, weight)) {
    at::Tensor y = at::empty(x.sizes(), x.options());
    normalizeToken(x.size(1),
                   {x.const_data_ptr<float>(), numbersOf(weight), numbersOf(bias)},
                   static_cast<float>(kEpsilon),
                   y.mutable_data_ptr<float>());
    return y;
  }
  const at::Tensor normalised = at::layer_norm(tokensOf(x), {x.size(1)}, weight, bias, kEpsilon);
  return mapOf(normalised, x.size(2), x.size(3));
}

}  // namespace lambda
