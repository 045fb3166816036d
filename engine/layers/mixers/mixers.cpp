#include "engine/layers/mixers/mixers.h"

#include <cmath>

#include <torch/nn/init.h>

#include "engine/layers/convolution/convolve.h"
#include "engine/layers/lambda/lambda_layer.h"

namespace lambda {

MapFunction addMixer(RoledModule& unit,
                     const ConvolutionMixer& mixer,
                     const BlockPlan& plan,
                     const PositionEmbeddingTable& /*shared*/) {
  const auto options = torch::nn::Conv2dOptions(
                           plan.mixerInput.channels, plan.mixerOutput.channels, mixer.kernelSize)
                           .stride(plan.mixerStride)
                           .padding(mixer.kernelSize / 2)
                           .groups(mixer.groups)
                           .bias(false);
  torch::nn::Conv2d conv = unit.registerConvolution("conv", ParameterRole::filter, options);
  unit.drawFilters(conv);
  return [conv](const at::Tensor& x) mutable { return convolve(conv, x); };
}

AttentionOptions attentionOptionsOf(const BlockPlan& plan, int heads) {
  return {plan.mixerInput.channels,
          plan.mixerOutput.channels,
          heads,
          plan.mixerInput.height,
          plan.mixerInput.width};
}

MapFunction addMixer(RoledModule& unit,
                     const LambdaMixer& mixer,
                     const BlockPlan& plan,
                     const PositionEmbeddingTable& shared) {
  const LambdaLayerOptions options{mixer,
                                   plan.mixerInput.channels,
                                   plan.mixerOutput.channels,
                                   plan.mixerInput.height,
                                   plan.mixerInput.width};
  LambdaLayer layer = unit.register_module("layer", LambdaLayer(options, shared));
  return [layer](const at::Tensor& x) mutable { return layer(x); };
}

}  // namespace lambda
