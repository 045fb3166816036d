#include "engine/layers/convolution/depthwise_convolution.h"

#include <cmath>

#include <torch/nn/init.h>

#include "engine/layers/convolution/convolve.h"
#include "engine/layers/sequences/tokens.h"

namespace lambda {

DepthwiseConvolutionImpl::DepthwiseConvolutionImpl(const DepthwiseConvolutionOptions& options_)
    : options(options_) {
  const int k = options.kernelSize;
  const int rows = options.causal ? 1 : k;
  filters = registerParameter(
      "filters", ParameterRole::projection, at::empty({options.inputDepth, 1, rows, k}));
  drawNormal(filters, options.causal ? std::sqrt(2.0 / k) : std::sqrt(2.0) / k);
  if (options.inputDepth == options.outputDepth) return;
  pointwise = registerConvolution(
      "pointwise",
      ParameterRole::projection,
      torch::nn::Conv2dOptions(options.inputDepth, options.outputDepth, /*kernel_size=*/1)
          .bias(false));
  drawFilters(pointwise);
}

at::Tensor DepthwiseConvolutionImpl::forward(const at::Tensor& x) {
  TORCH_CHECK(x.dim() == 4 && x.size(1) == options.inputDepth,
              "depthwise convolution: expected an input [b, ",
              options.inputDepth,
              ", H, W], got ",
              x.sizes());
  if (!options.causal) return convolved(x, options.kernelSize / 2);
  return convolved(at::constant_pad_nd(x, {options.kernelSize - 1, 0}), 0);
}

at::Tensor DepthwiseConvolutionImpl::step(const at::Tensor& x, LayerState& state) {
  TORCH_CHECK(options.causal && options.stride == 1,
              "depthwise convolution: only a causal layer of stride 1 reads sequences in pieces");
  const at::NoGradGuard noGradients;
  const std::int64_t before = options.kernelSize - 1;
  const at::Tensor padded =
      state.empty() ? at::constant_pad_nd(x, {before, 0}) : at::cat({state[0], x}, 3);
  state = {lastOf(padded, 3, before)};
  return convolved(padded, 0);
}

at::Tensor DepthwiseConvolutionImpl::convolved(const at::Tensor& x, std::int64_t padding) {
  const at::Tensor y = at::conv2d(x,
                                  filters,
                                  /*bias=*/{},
                                  options.stride,
                                  padding,
                                  /*dilation=*/1,
                                  /*groups=*/options.inputDepth);
  return pointwise ? convolve(pointwise, y) : y;
}

MapFunction addMixer(RoledModule& unit,
                     const DepthwiseConvolutionMixer& mixer,
                     const PlacedMixer& place,
                     const PositionEmbeddingTable& /*shared*/) {
  DepthwiseConvolution layer = unit.register_module(
      "layer",
      DepthwiseConvolution(DepthwiseConvolutionOptions{.inputDepth = place.input.channels,
                                                       .outputDepth = place.output.channels,
                                                       .kernelSize = mixer.kernelSize,
                                                       .stride = place.stride,
                                                       .causal = mixer.causal}));
  return [layer](const at::Tensor& x) mutable { return layer(x); };
}

}  // namespace lambda
