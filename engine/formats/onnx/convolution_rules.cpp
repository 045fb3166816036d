#include "engine/formats/onnx/mixer_rules.h"

namespace lambda {

namespace {

/// The 1x1 convolution that follows a mixer where the depths differ.
std::string pointwise(LayerWriter& writer, const PlacedMixer& place, const std::string& y) {
  const int inputs = place.input.channels, outputs = place.output.channels;
  if (inputs == outputs) return y;
  return writer.convolution(
      y, place.name + ".layer.pointwise", "pointwise", {.inputs = inputs, .outputs = outputs});
}

using Integers = std::vector<std::int64_t>;

/// The window of one row that ends with the position itself, with `padding` zeros before the first.
std::string causalDepthwise(LayerWriter& writer,
                            const DepthwiseConvolutionMixer& mixer,
                            const PlacedMixer& place,
                            const std::string& x,
                            std::int64_t padding) {
  const std::int64_t channels = place.input.channels, side = mixer.kernelSize;
  const std::string filters =
      writer.graph().weight(place.name + ".layer.filters", {channels, 1, 1, side});
  return writer.graph().add("Conv",
                            "depthwise",
                            {x, filters},
                            {{"kernel_shape", Integers{1, side}},
                             {"strides", Integers{place.stride, place.stride}},
                             {"pads", Integers{0, padding, 0, 0}},
                             {"group", channels}});
}

}  // namespace

std::string writeMixer(LayerWriter& writer,
                       const ConvolutionMixer& mixer,
                       const PlacedMixer& place,
                       const std::string& x) {
  return writer.convolution(x,
                            place.name + ".conv",
                            "conv",
                            {.inputs = place.input.channels,
                             .outputs = place.output.channels,
                             .kernel = mixer.kernelSize,
                             .stride = place.stride,
                             .padding = mixer.kernelSize / 2,
                             .groups = mixer.groups});
}

std::string writeMixer(LayerWriter& writer,
                       const DepthwiseConvolutionMixer& mixer,
                       const PlacedMixer& place,
                       const std::string& x) {
  const int channels = place.input.channels, side = mixer.kernelSize;
  if (mixer.causal) {
    return pointwise(writer, place, causalDepthwise(writer, mixer, place, x, side - 1));
  }
  const std::string filters =
      writer.graph().weight(place.name + ".layer.filters", {channels, 1, side, side});
  return pointwise(writer,
                   place,
                   writer.convolutionBy(x,
                                        filters,
                                        "depthwise",
                                        {.inputs = channels,
                                         .outputs = channels,
                                         .kernel = side,
                                         .stride = place.stride,
                                         .padding = side / 2,
                                         .groups = channels}));
}

std::string writeStep(LayerWriter& writer,
                      const DepthwiseConvolutionMixer& mixer,
                      const PlacedMixer& place,
                      const std::string& x,
                      StepState& state) {
  const OnnxShape shape{kBatch, place.input.channels, 1, mixer.kernelSize - 1};
  const std::string seen = state.window("inputs", x, shape, 3);
  return pointwise(writer, place, causalDepthwise(writer, mixer, place, seen, 0));
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
                       const PlacedMixer& place,
                       const std::string& x) {
  const int channels = place.input.channels;
  return pointwise(
      writer,
      place,
      writeSqueezeExcitation(writer, place.name + ".layer.gate", channels, mixer.ratio, x));
}

std::string writeMixer(LayerWriter& writer,
                       const SpatialAttentionMixer& mixer,
                       const PlacedMixer& place,
                       const std::string& x) {
  const std::string pooled = writer.graph().add(
      "Concat",
      "pooled",
      {writer.reduce("ReduceMean", x, {1}, true), writer.reduce("ReduceMax", x, {1}, true)},
      {{"axis", std::int64_t{1}}});
  const std::string gate = writer.convolution(pooled,
                                              place.name + ".layer.gate",
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
