#include "engine/layers/convolution_unit.h"

#include <torch/nn/init.h>

#include "engine/layers/activation.h"
#include "engine/layers/convolve.h"

namespace lambda {

namespace {

torch::nn::Conv2dOptions convolutionOptions(const ConvolutionUnitOptions& options) {
  return torch::nn::Conv2dOptions(options.inputDepth, options.outputDepth, options.kernelSize)
      .stride(options.stride)
      .padding(options.padding >= 0 ? options.padding : options.kernelSize / 2)
      .bias(false);
}

}  // namespace

ConvolutionUnitImpl::ConvolutionUnitImpl(const ConvolutionUnitOptions& options_)
    : options(options_),
      conv(register_module("conv", torch::nn::Conv2d(convolutionOptions(options_)))),
      norm(register_module("norm", torch::nn::BatchNorm2d(options_.outputDepth))) {
  torch::nn::init::kaiming_normal_(conv->weight, 0.0, torch::kFanOut, torch::kReLU);
  if (options.zeroInit) torch::nn::init::zeros_(norm->weight);
}

at::Tensor ConvolutionUnitImpl::forward(const at::Tensor& x) {
  at::Tensor y = convolve(conv, x);
  if (options.maxPool > 1) y = at::max_pool2d(y, options.maxPool, {}, 0, 1, /*ceil_mode=*/true);
  y = norm(y);
  return options.activation ? activate(y, *options.activation) : y;
}

}  // namespace lambda
