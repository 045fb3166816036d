#include "engine/formats/onnx/onnx_model.h"

#include <optional>
#include <vector>

#include "engine/formats/onnx/layer_writer.h"
#include "engine/formats/onnx/mixer_rules.h"
#include "engine/formats/onnx/onnx_messages.h"
#include "engine/runtime/error.h"
#include "engine/values/architecture/plan.h"

namespace lambda {

namespace {

using Integers = std::vector<std::int64_t>;

OnnxShape batchOf(const MapShape& map) {
  return {kBatch, map.channels, map.height, map.width};
}

/// Writes the blocks of a network around their mixers.
class NetworkWriter {
 public:
  NetworkWriter(const Architecture& architecture, OnnxGraph& graph)
      : architecture_(architecture),
        plan_(planOf(architecture)),
        graph_(graph),
        writer_(graph, architecture.normStatistics) {}

  void write(const NetworkInput& input) {
    graph_.addInput("images", batchOf(architecture_.input));
    std::string x = normalized(input.normalization);
    x = writeStem(x);
    for (const BlockPlan& block : plan_.blocks) x = writeBlock(block, x);
    if (architecture_.head.width > 0) {
      graph_.beginLayer("headConv");
      x = unit(x,
               "headConv",
               {.inputs = plan_.lastMap.channels, .outputs = plan_.features.channels},
               architecture_.activation);
      x = graph_.nameResult(x, "headConv", batchOf(plan_.features));
    }
    writeHead(x);
  }

 private:
  std::string normalized(const Normalization& normalization) {
    graph_.beginLayer("normalize");
    const std::vector<float> mean(normalization.mean.begin(), normalization.mean.end());
    const std::vector<float> deviation(normalization.deviation.begin(),
                                       normalization.deviation.end());
    const OnnxShape shape{architecture_.input.channels, 1, 1};
    const std::string centred =
        graph_.add("Sub", "centred", {"images", graph_.constant(mean, shape)});
    return writer_.divide(centred, graph_.constant(deviation, shape));
  }

  /// A convolution unit: convolution, norm, activation.
  std::string unit(const std::string& x,
                   const std::string& module,
                   const OnnxConvolution& options,
                   std::optional<Activation> activation) {
    std::string y = writer_.convolution(x, module + ".conv", "conv", options);
    y = writer_.norm(y, module + ".norm", options.outputs);
    return activation ? writer_.activation(y, *activation) : y;
  }

  std::string stemUnit(const std::string& x, const std::string& name, OnnxConvolution options) {
    graph_.beginLayer(name);
    return unit(x, name, options, architecture_.activation);
  }

  std::string writeStem(const std::string& image) {
    const Stem& stem = architecture_.stem;
    OnnxConvolution options{
        .inputs = architecture_.input.channels, .outputs = stem.width, .kernel = 3, .padding = 1};
    switch (stem.kind) {
      case StemKind::cifar:
        break;
      case StemKind::strided:
        options.stride = 2;
        break;
      case StemKind::imagenet:
        options.kernel = 7;
        options.stride = 2;
        options.padding = 3;
        break;
      case StemKind::patch:
        options.kernel = options.stride = stem.patchSize;
        options.padding = 0;
        break;
      case StemKind::resnetD:
      case StemKind::resnetRS:
        return writeDeepStem(image);
    }
    std::string x = stemUnit(image, "stem", options);
    if (stem.kind == StemKind::imagenet) x = stemPooling(x);
    return graph_.nameResult(x, "stem", batchOf(plan_.stemOutput));
  }

  std::string writeDeepStem(const std::string& image) {
    const bool pools = architecture_.stem.kind == StemKind::resnetD;
    const int narrow = firstConvolutionOf(architecture_.stem).depth;
    const int width = architecture_.stem.width;
    const int depths[] = {architecture_.input.channels, narrow, narrow, width, width};
    const int strides[] = {2, 1, 1, 2};
    const int convolutions = pools ? 3 : 4;
    std::string x = image;
    for (int i = 0; i < convolutions; ++i) {
      const std::string name = "stem.conv" + std::to_string(i + 1);
      x = stemUnit(x,
                   name,
                   {.inputs = depths[i],
                    .outputs = depths[i + 1],
                    .kernel = 3,
                    .stride = strides[i],
                    .padding = 1});
      const bool isLast = i + 1 == convolutions;
      if (isLast && pools) x = stemPooling(x);
      MapShape half{
          depths[i + 1], (architecture_.input.height + 1) / 2, (architecture_.input.width + 1) / 2};
      x = graph_.nameResult(x, name, batchOf(isLast ? plan_.stemOutput : half));
    }
    return x;
  }

  std::string stemPooling(const std::string& x) {
    return graph_.add("MaxPool",
                      "pooling",
                      {x},
                      {{"kernel_shape", Integers{3, 3}},
                       {"strides", Integers{2, 2}},
                       {"pads", Integers{1, 1, 1, 1}}});
  }

  std::string writeBlock(const BlockPlan& block, const std::string& input) {
    const Family family = architecture_.family;
    std::string x = writeEntry(block, input);
    x = writeMixerUnit(block, x);
    if (block.options.squeezeExcitation && !squeezesOutput(block, family)) {
      x = writeSqueeze(block, x, block.mixerOutput);
    }
    if (family == Family::bottleneck || family == Family::invertedBottleneck) {
      const std::string name = block.name + (family == Family::bottleneck ? ".expand" : ".project");
      graph_.beginLayer(name);
      x = unit(x,
               name,
               {.inputs = block.mixerOutput.channels, .outputs = block.output.channels},
               std::nullopt);
      x = graph_.nameResult(x, name, batchOf(block.output));
    }
    if (block.options.squeezeExcitation && squeezesOutput(block, family)) {
      x = writeSqueeze(block, x, block.output);
    }
    if (!block.shortcut) return x;
    const std::string shortcut = writeShortcut(block, input);
    graph_.beginLayer(block.name);
    x = writer_.add(x, shortcut);
    if (family != Family::invertedBottleneck) x = writer_.activation(x, architecture_.activation);
    return graph_.nameResult(x, block.name, batchOf(block.output));
  }

  std::string writeEntry(const BlockPlan& block, const std::string& x) {
    OnnxConvolution options{.inputs = block.input.channels, .outputs = block.mixerInput.channels};
    std::string name = block.name;
    switch (architecture_.family) {
      case Family::plain:
        return x;
      case Family::bottleneck:
        name += ".reduce";
        break;
      case Family::invertedBottleneck:
        if (block.options.expansion == 0) return x;
        name += ".expand";
        break;
      case Family::basic:
        name += ".conv";
        options.kernel = 3;
        options.padding = 1;
        options.stride = block.stride;
        break;
    }
    graph_.beginLayer(name);
    const std::string y = unit(x, name, options, architecture_.activation);
    return graph_.nameResult(y, name, batchOf(block.mixerInput));
  }

  std::string writeMixerUnit(const BlockPlan& block, const std::string& x) {
    const std::string name = block.name + ".mixer";
    graph_.beginLayer(name);
    std::string y = std::visit(
        [&](const auto& mixer) {
          return writeMixer(writer_, mixer, {block, name}, x);
        },
        block.options.mixer);
    MapShape map = block.mixerOutput;
    if (block.pooling != StridePooling::none) {
      y = writePooling(block, y);
      map.height = block.output.height;
      map.width = block.output.width;
    }
    y = writer_.norm(y, name + ".norm", block.mixerOutput.channels);
    if (!mixerEndsBranch(block, architecture_.family)) {
      y = writer_.activation(y, architecture_.activation);
    }
    return graph_.nameResult(y, name, batchOf(map));
  }

  std::string writePooling(const BlockPlan& block, const std::string& x) {
    if (block.pooling == StridePooling::average) {
      return graph_.add("AveragePool",
                        "pooling",
                        {x},
                        {{"kernel_shape", Integers{3, 3}},
                         {"strides", Integers{2, 2}},
                         {"pads", Integers{1, 1, 1, 1}},
                         {"count_include_pad", std::int64_t{1}}});
    }
    return graph_.add("MaxPool",
                      "pooling",
                      {x},
                      {{"kernel_shape", Integers{2, 2}},
                       {"strides", Integers{2, 2}},
                       {"ceil_mode", std::int64_t{1}}});
  }

  std::string writeSqueeze(const BlockPlan& block, const std::string& x, const MapShape& map) {
    const std::string name = block.name + ".squeeze";
    graph_.beginLayer(name);
    const std::string y =
        writeSqueezeExcitation(writer_, name, map.channels, block.options.squeezeRatio, x);
    return graph_.nameResult(
        y, name, {kBatch, map.channels, block.output.height, block.output.width});
  }

  std::string writeShortcut(const BlockPlan& block, const std::string& input) {
    if (!block.projection) return input;
    const StemKind stem = architecture_.stem.kind;
    const bool pools = stem == StemKind::resnetD || stem == StemKind::resnetRS;
    const std::string name = block.name + ".shortcut";
    graph_.beginLayer(name);
    std::string x = input;
    if (pools && block.stride == 2) {
      x = graph_.add("AveragePool",
                     "pooling",
                     {x},
                     {{"kernel_shape", Integers{2, 2}},
                      {"strides", Integers{2, 2}},
                      {"ceil_mode", std::int64_t{1}},
                      {"count_include_pad", std::int64_t{0}}});
    }
    const std::string y = unit(x,
                               name,
                               {.inputs = block.input.channels,
                                .outputs = block.output.channels,
                                .stride = pools ? 1 : block.stride},
                               std::nullopt);
    return graph_.nameResult(y, name, batchOf(block.output));
  }

  void writeHead(const std::string& x) {
    graph_.beginLayer("head");
    const Head& head = architecture_.head;
    const bool isMaximum = head.pooling == Pooling::max;
    const std::string features =
        writer_.reduce(isMaximum ? "ReduceMax" : "ReduceMean", x, {2, 3}, /*keeps=*/false);
    std::vector<std::string> inputs{
        features, graph_.weight("head.weight", {architecture_.classes, plan_.features.channels})};
    if (head.bias) inputs.push_back(graph_.weight("head.bias", {architecture_.classes}));
    std::string logits = graph_.add("Gemm", "linear", inputs, {{"transB", std::int64_t{1}}});
    if (head.scale != 1) {
      logits = writer_.multiply(logits, graph_.scalar(static_cast<float>(head.scale)));
    }
    graph_.nameOutput(logits, "logits", {kBatch, architecture_.classes});
  }

  const Architecture& architecture_;
  NetworkPlan plan_;
  OnnxGraph& graph_;
  LayerWriter writer_;
};

}  // namespace

std::string encodeOnnx(const Architecture& architecture,
                       const SafeTensors& weights,
                       const OnnxDetails& details) {
  const auto channels = static_cast<std::size_t>(architecture.input.channels);
  if (details.input.normalization.mean.size() != channels ||
      details.input.normalization.deviation.size() != channels) {
    throw Error(details.place,
                "it does not say how its images were normalised",
                "Give the place of the run's data with --data, so that it can be measured.");
  }
  OnnxGraph graph(weights, details.place);
  NetworkWriter(architecture, graph).write(details.input);
  // The format demands a name.
  const std::string name = architecture.name.empty() ? "network" : architecture.name;
  return encodeOnnxModel(graph, name, details.programVersion, details.metadata);
}

}  // namespace lambda
