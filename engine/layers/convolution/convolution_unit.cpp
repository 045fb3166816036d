#include "engine/layers/convolution/convolution_unit.h"

#include <torch/nn/init.h>

#include "engine/layers/convolution/convolve.h"

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
      conv(registerConvolution("conv", options_.role, convolutionOptions(options_))),
      norm(registerNorm("norm", options_.outputDepth)) {
  drawFilters(conv);
  if (options.zeroInit) torch::nn::init::zeros_(norm->weight);
  conv->weight.requires_grad_(!options.fixedFilters);
}

at::Tensor ConvolutionUnitImpl::forward(const at::Tensor& x) {
  return forwardThen(x, {at::Tensor(), options.activation});
}

at::Tensor ConvolutionUnitImpl::forwardThen(const at::Tensor& x, const AfterNorm& after) {
  return convolveAndNormalize(conv, norm, x, after);
}

}  // namespace lambda
