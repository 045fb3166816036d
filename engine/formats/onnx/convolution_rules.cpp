#include "engine/formats/onnx/mixer_rules.h"

namespace lambda {

namespace {

/// The 1x1 convolution that follows a mixer where the depths differ.
std::string pointwise(LayerWriter& writer, const MixerPlace& place, const std::string& y) {
  const int inputs = place.block.mixerInput.channels, outputs = place.block.mixerOutput.channels;
  if (inputs == outputs) return y;
  return writer.convolution(
      y, place.module + ".layer.pointwise", "pointwise", {.inputs = inputs, .outputs = outputs});
}

}  // namespace

std::string writeMixer(LayerWriter& writer,
                       const ConvolutionMixer& mixer,
                       const MixerPlace& place,
                       const std::string& x) {
  return writer.convolution(x,
                            place.module + ".conv",
                            "conv",
                            {.inputs = place.block.mixerInput.channels,
                             .outputs = place.block.mixerOutput.channels,
                             .kernel = mixer.kernelSize,
                             .stride = place.block.mixerStride,
                             .padding = mixer.kernelSize / 2,
                             .groups = mixer.groups});
}

std::string writeMixer(LayerWriter& writer,
                       const DepthwiseConvolutionMixer& mixer,
                       const MixerPlace& place,
                       const std::string& x) {
  const int channels = place.block.mixerInput.channels, side = mixer.kernelSize;
  const std::string filters =
      writer.graph().weight(place.module + ".layer.filters", {channels, 1, side, side});
  return pointwise(writer,
                   place,
                   writer.convolutionBy(x,
                                        filters,
                                        "depthwise",
                                        {.inputs = channels,
                                         .outputs = channels,
                                         .kernel = side,
                                         .stride = place.block.mixerStride,
                                         .padding = side / 2,
                                         .groups = channels}));
}

std::string writeSqueezeExcitation(
    LayerWriter& writer, const std::string& module, int channels, int ratio, const std::string& x) {
  const int squeezed = squeezedChannels(channels, ratio);
  const std::string means = writer.reduce("ReduceMean", x, {2, 3}, /*keeps=*/true);
  const std::string inner = writer.graph().add(
      "Relu",
      "relu",
      {writer.convolution(means,
                          module + ".squeeze",
                          "squeeze",
                          {.inputs = channels, .outputs = squeezed, .bias = true})});
  const std::string gate = writer.convolution(
      inner, module + ".excite", "excite", {.inputs = squeezed, .outputs = channels, .bias = true});
  return writer.multiply(x, writer.graph().add("Sigmoid", "gate", {gate}));
}

std::string writeMixer(LayerWriter& writer,
                       const SqueezeExcitationMixer& mixer,
                       const MixerPlace& place,
                       const std::string& x) {
  const int channels = place.block.mixerInput.channels;
  return pointwise(
      writer,
      place,
      writeSqueezeExcitation(writer, place.module + ".layer.gate", channels, mixer.ratio, x));
}

std::string writeMixer(LayerWriter& writer,
                       const SpatialAttentionMixer& mixer,
                       const MixerPlace& place,
                       const std::string& x) {
  const std::string pooled = writer.graph().add(
      "Concat",
      "pooled",
      {writer.reduce("ReduceMean", x, {1}, true), writer.reduce("ReduceMax", x, {1}, true)},
      {{"axis", std::int64_t{1}}});
  const std::string gate = writer.convolution(pooled,
                                              place.module + ".layer.gate",
                                              "gate",
                                              {.inputs = 2,
                                               .outputs = 1,
                                               .kernel = mixer.kernelSize,
                                               .padding = mixer.kernelSize / 2,
                                               .bias = true});
  return pointwise(
      writer, place, writer.multiply(x, writer.graph().add("Sigmoid", "weights", {gate})));
}

}  // namespace lambda
