#include "engine/layers/attention/gated_attention.h"

#include <torch/nn/init.h>

#include "engine/layers/attention/attention_heads.h"
#include "engine/layers/convolution/convolve.h"
#include "engine/layers/mixers/mixers.h"

namespace lambda {

namespace {

/// The 1x1 convolution between different depths; null between equal ones.
torch::nn::Conv2d addPointwise(RoledModule& module,
                               std::int64_t inputDepth,
                               std::int64_t outputDepth) {
  if (inputDepth == outputDepth) return nullptr;
  torch::nn::Conv2d pointwise = module.registerConvolution(
      "pointwise",
      ParameterRole::projection,
      torch::nn::Conv2dOptions(inputDepth, outputDepth, /*kernel_size=*/1).bias(false));
  module.drawFilters(pointwise);
  return pointwise;
}

}  // namespace

ChannelAttentionImpl::ChannelAttentionImpl(std::int64_t inputDepth_,
                                           std::int64_t outputDepth,
                                           int ratio)
    : inputDepth(inputDepth_),
      gate(register_module("gate", SqueezeExcitation(inputDepth, ratio))),
      pointwise(addPointwise(*this, inputDepth, outputDepth)) {}

at::Tensor ChannelAttentionImpl::forward(const at::Tensor& x) {
  requireDepth("channel attention", x, inputDepth);
  const at::Tensor y = gate(x);
  return pointwise ? convolve(pointwise, y) : y;
}

SpatialAttentionImpl::SpatialAttentionImpl(std::int64_t inputDepth_,
                                           std::int64_t outputDepth,
                                           int kernelSize)
    : inputDepth(inputDepth_),
      gate(registerConvolution("gate",
                               ParameterRole::projection,
                               torch::nn::Conv2dOptions(2, 1, kernelSize).padding(kernelSize / 2))),
      pointwise(addPointwise(*this, inputDepth, outputDepth)) {
  TORCH_CHECK(kernelSize % 2 == 1,
              "spatial attention: the side of its filter must be odd, got ",
              kernelSize);
}

at::Tensor SpatialAttentionImpl::gates(const at::Tensor& x) {
  requireDepth("spatial attention", x, inputDepth);
  const at::Tensor pooled = at::cat({x.mean(1, /*keepdim=*/true), x.amax(1, /*keepdim=*/true)}, 1);
  return at::sigmoid(convolve(gate, pooled));
}

at::Tensor SpatialAttentionImpl::forward(const at::Tensor& x) {
  const at::Tensor y = x * gates(x);
  return pointwise ? convolve(pointwise, y) : y;
}

AttentionTerms SpatialAttentionImpl::terms(const at::Tensor& x, std::int64_t /*query*/) {
  return {gates(x).flatten(2)};
}

MapFunction addMixer(RoledModule& unit,
                     const SqueezeExcitationMixer& mixer,
                     const PlacedMixer& place,
                     const PositionEmbeddingTable& /*shared*/) {
  ChannelAttention layer = unit.register_module(
      "layer", ChannelAttention(place.input.channels, place.output.channels, mixer.ratio));
  return [layer](const at::Tensor& x) mutable { return layer(x); };
}

MapFunction addMixer(RoledModule& unit,
                     const SpatialAttentionMixer& mixer,
                     const PlacedMixer& place,
                     const PositionEmbeddingTable& /*shared*/) {
  SpatialAttention layer = unit.register_module(
      "layer", SpatialAttention(place.input.channels, place.output.channels, mixer.kernelSize));
  return [layer](const at::Tensor& x) mutable { return layer(x); };
}

}  // namespace lambda
