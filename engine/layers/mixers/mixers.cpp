#include "engine/layers/mixers/mixers.h"

#include <cmath>

#include <torch/nn/init.h>

#include "engine/layers/convolution/convolve.h"
#include "engine/layers/lambda/lambda_layer.h"

namespace lambda {

MapFunction addMixer(RoledModule& unit,
                     const ConvolutionMixer& mixer,
                     const PlacedMixer& place,
                     const PositionEmbeddingTable& /*shared*/) {
  const auto options =
      torch::nn::Conv2dOptions(place.input.channels, place.output.channels, mixer.kernelSize)
          .stride(place.stride)
          .padding(mixer.kernelSize / 2)
          .groups(mixer.groups)
          .bias(false);
  torch::nn::Conv2d conv = unit.registerConvolution("conv", ParameterRole::filter, options);
  unit.drawFilters(conv);
  return [conv](const at::Tensor& x) mutable { return convolve(conv, x); };
}

AttentionOptions attentionOptionsOf(const PlacedMixer& place, int heads) {
  return {
      place.input.channels, place.output.channels, heads, place.input.height, place.input.width};
}

MapFunction addMixer(RoledModule& unit,
                     const LambdaMixer& mixer,
                     const PlacedMixer& place,
                     const PositionEmbeddingTable& shared) {
  const LambdaLayerOptions options{
      mixer, place.input.channels, place.output.channels, place.input.height, place.input.width};
  LambdaLayer layer = unit.register_module("layer", LambdaLayer(options, shared));
  return [layer](const at::Tensor& x) mutable { return layer(x); };
}

}  // namespace lambda
