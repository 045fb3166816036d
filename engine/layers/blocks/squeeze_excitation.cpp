#include "engine/layers/blocks/squeeze_excitation.h"

#include "engine/layers/convolution/convolve.h"
#include "engine/values/architecture/graph.h"

namespace lambda {

SqueezeExcitationImpl::SqueezeExcitationImpl(std::int64_t channels, int ratio)
    : squeeze(registerConvolution(
          "squeeze",
          ParameterRole::projection,
          torch::nn::Conv2dOptions(
              channels, squeezedChannels(static_cast<int>(channels), ratio), /*kernel_size=*/1))),
      excite(registerConvolution(
          "excite",
          ParameterRole::projection,
          torch::nn::Conv2dOptions(
              squeezedChannels(static_cast<int>(channels), ratio), channels, /*kernel_size=*/1))) {}

at::Tensor SqueezeExcitationImpl::forward(const at::Tensor& x) {
  // A mean instead of adaptive pooling, because its backward pass is deterministic on every device.
  const at::Tensor means = x.mean({2, 3}, /*keepdim=*/true);
  return x * at::sigmoid(convolve(excite, at::relu(convolve(squeeze, means))));
}

}  // namespace lambda
