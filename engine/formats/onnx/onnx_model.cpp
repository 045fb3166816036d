#include "engine/formats/onnx/onnx_model.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "engine/formats/onnx/layer_writer.h"
#include "engine/formats/onnx/mixer_rules.h"
#include "engine/formats/onnx/onnx_messages.h"
#include "engine/formats/onnx/step_state.h"
#include "engine/runtime/error.h"
#include "engine/values/architecture/graph.h"

namespace lambda {

namespace {

using Integers = std::vector<std::int64_t>;

OnnxShape batchOf(const MapShape& map) {
  return {kBatch, map.channels, map.height, map.width};
}

/// Writes the nodes of a network.
class NetworkWriter {
 public:
  NetworkWriter(const Architecture& architecture, OnnxGraph& onnx)
      : graph_(graphOf(architecture)), onnx_(onnx), writer_(onnx, architecture.normStatistics) {}

  void write(const NetworkInput& input) {
    if (graph_.takesTokens()) {
      onnx_.addInput("tokens", batchOf(graph_.image), OnnxType::int64);
      input_ = "tokens";
    } else {
      onnx_.addInput("images", batchOf(graph_.image));
      input_ = normalized(input.normalization);
    }
    const MapShape logits = writeNodes();
    onnx_.nameOutput(results_.back(),
                     "logits",
                     graph_.takesTokens() ? OnnxShape{kBatch, logits.positions(), logits.channels}
                                          : OnnxShape{kBatch, logits.channels});
  }

  /// Writes the network for one token, and returns what the metadata say of its states.
  std::string writeStep() {
    // The mixers keep the places with the whole length.
    graph_.image.width = 1;
    for (Node& node : graph_.nodes) node.output.width = 1;
    state_.emplace(writer_);
    onnx_.addInput("token", {kBatch}, OnnxType::int64);
    input_ = "token";
    const OnnxShape shape{kBatch, writeNodes().channels};
    onnx_.nameOutput(writer_.reshape(results_.back(), shape, "logits"), "logits", shape);
    state_->nameOutputs();
    return state_->description();
  }

 private:
  /// Returns the shape of the logits.
  MapShape writeNodes() {
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      const Node& node = graph_.nodes[i];
      const bool isLast = i + 1 == graph_.nodes.size();
      if (i == 0 || graph_.nodes[i - 1].layer != node.layer) onnx_.beginLayer(node.layer);
      std::string result = std::visit([&](const auto& kind) { return add(kind, node); }, node.kind);
      if (!isLast && endsLayer(i)) {
        result = onnx_.nameResult(result, node.layer, batchOf(node.output));
      }
      results_.push_back(std::move(result));
    }
    return graph_.nodes.back().output;
  }

  /// Whether the node is the last of its layer. A sequence block has two sums of its name.
  bool endsLayer(std::size_t index) const {
    const auto begin = graph_.nodes.begin() + static_cast<std::ptrdiff_t>(index);
    return std::none_of(begin + 1, graph_.nodes.end(), [&](const Node& node) {
      return node.layer == begin->layer;
    });
  }

  std::string normalized(const Normalization& normalization) {
    onnx_.beginLayer("normalize");
    const std::vector<float> mean(normalization.mean.begin(), normalization.mean.end());
    const std::vector<float> deviation(normalization.deviation.begin(),
                                       normalization.deviation.end());
    const OnnxShape shape{graph_.image.channels, 1, 1};
    const std::string centred =
        onnx_.add("Sub", "centred", {"images", onnx_.constant(mean, shape)});
    return writer_.divide(centred, onnx_.constant(deviation, shape));
  }

  /// The value that a node takes.
  const std::string& inputOf(const Node& node, std::size_t index = 0) const {
    const int input = node.inputs[index];
    return input == kImageInput ? input_ : results_[static_cast<std::size_t>(input)];
  }

  std::string add(const ConvolutionNode& convolution, const Node& node) {
    return writer_.convolution(inputOf(node),
                               node.layer + ".conv",
                               "conv",
                               {.inputs = graph_.inputOf(node).channels,
                                .outputs = node.output.channels,
                                .kernel = convolution.kernel,
                                .stride = convolution.stride,
                                .padding = convolution.padding});
  }

  std::string add(const NormNode& /*norm*/, const Node& node) {
    return writer_.norm(inputOf(node), node.layer + ".norm", node.output.channels);
  }

  std::string add(const ActivationNode& activation, const Node& node) {
    return writer_.activation(inputOf(node), activation.activation);
  }

  std::string add(const PlacedMixer& place, const Node& node) {
    const auto write = [&](const auto& mixer) {
      if constexpr (requires { lambda::writeStep(writer_, mixer, place, input_, *state_); }) {
        if (state_) return lambda::writeStep(writer_, mixer, place, inputOf(node), *state_);
      }
      return writeMixer(writer_, mixer, place, inputOf(node));
    };
    return std::visit(write, place.mixer);
  }

  std::string add(const PoolNode& pool, const Node& node) {
    const bool isWide = pool.window == 3;
    OnnxAttributes attributes{{"kernel_shape", Integers{pool.window, pool.window}},
                              {"strides", Integers{2, 2}}};
    if (isWide) {
      attributes.emplace_back("pads", Integers{1, 1, 1, 1});
    } else {
      attributes.emplace_back("ceil_mode", std::int64_t{1});
    }
    const bool isMaximum = pool.pooling == Pooling::max;
    if (!isMaximum) attributes.emplace_back("count_include_pad", std::int64_t{isWide ? 1 : 0});
    return onnx_.add(
        isMaximum ? "MaxPool" : "AveragePool", "pooling", {inputOf(node)}, std::move(attributes));
  }

  std::string add(const SqueezeNode& squeeze, const Node& node) {
    return writeSqueezeExcitation(
        writer_, node.layer, node.output.channels, squeeze.ratio, inputOf(node));
  }

  std::string add(const SumNode& /*sum*/, const Node& node) {
    return writer_.add(inputOf(node, 1), inputOf(node, 0));
  }

  std::string add(const FeaturesNode& features, const Node& node) {
    const bool isMaximum = features.pooling == Pooling::max;
    return writer_.reduce(
        isMaximum ? "ReduceMax" : "ReduceMean", inputOf(node), {2, 3}, /*keeps=*/false);
  }

  /// A map as [N, n, channels], the form in which positions are computed one by one.
  std::string positionsOf(const Node& node) {
    const MapShape& map = graph_.inputOf(node);
    return writer_.pixels(inputOf(node), map.channels, map.positions());
  }

  std::string add(const EmbeddingNode& embedding, const Node& node) {
    const MapShape& map = node.output;
    const std::string table =
        onnx_.weight(node.layer + ".weight", {embedding.vocabulary, map.channels});
    const std::string tokens =
        writer_.reshape(inputOf(node), {kBatch, map.positions()}, "positions");
    return writer_.mapOf(onnx_.add("Gather", "embedding", {table, tokens}), map);
  }

  std::string add(const LayerNormNode& /*norm*/, const Node& node) {
    return writer_.mapOf(writer_.layerNorm(positionsOf(node), node.layer, node.output.channels),
                         node.output);
  }

  std::string add(const ChannelMixingNode& mixing, const Node& node) {
    const std::string x = positionsOf(node);
    return writer_.mapOf(
        mixing.kind == ChannelMixing::mlp ? mlp(mixing, node, x) : rwkv(mixing, node, x),
        node.output);
  }

  std::string mlp(const ChannelMixingNode& mixing, const Node& node, const std::string& x) {
    const int channels = node.output.channels;
    const std::string hidden =
        writer_.linear(x, node.layer + ".expand", channels, mixing.hidden, /*bias=*/true);
    return writer_.linear(writer_.activation(hidden, mixing.activation),
                          node.layer + ".project",
                          mixing.hidden,
                          channels,
                          /*bias=*/true);
  }

  /// Each position of x [N, n, channels] replaced by the one before it.
  std::string positionsBefore(const std::string& x, int channels) {
    if (state_) {
      const OnnxShape shape{kBatch, channels};
      const std::string before = writer_.unsqueeze(state_->before("previous", shape), 1);
      state_->keep("previous", writer_.reshape(x, shape, "token"));
      return before;
    }
    // One position is added in front and one is removed at the end.
    return onnx_.add("Pad", "before", {x, onnx_.constant(Integers{0, 1, 0, 0, -1, 0}, {6})});
  }

  /// See engine/layers/blocks/channel_mixing.h.
  std::string rwkv(const ChannelMixingNode& mixing, const Node& node, const std::string& x) {
    const int channels = node.output.channels;
    const std::string before = positionsBefore(x, channels);
    const std::string change = onnx_.add("Sub", "change", {x, before});
    const auto mixed = [&](const char* share) {
      return writer_.add(
          before, writer_.multiply(change, onnx_.weight(node.layer + "." + share, {channels})));
    };
    const auto matrix = [&](const std::string& of, const char* name, int inputs, int outputs) {
      return writer_.linear(of, node.layer + "." + name, inputs, outputs, /*bias=*/false);
    };
    const std::string hidden =
        onnx_.add("Relu", "relu", {matrix(mixed("time_mix_k"), "key", channels, mixing.hidden)});
    const std::string gate = onnx_.add(
        "Sigmoid", "gate", {matrix(mixed("time_mix_r"), "receptance", channels, channels)});
    return writer_.multiply(
        gate, matrix(writer_.multiply(hidden, hidden), "value", mixing.hidden, channels));
  }

  std::string scaled(const std::string& logits, double scale) {
    return scale == 1 ? logits : writer_.multiply(logits, onnx_.scalar(static_cast<float>(scale)));
  }

  std::string add(const LinearNode& linear, const Node& node) {
    if (linear.atPositions) {
      return scaled(writer_.linear(positionsOf(node),
                                   node.layer,
                                   graph_.inputOf(node).channels,
                                   node.output.channels,
                                   linear.bias),
                    linear.scale);
    }
    const std::int64_t classes = node.output.channels;
    std::vector<std::string> inputs{
        inputOf(node),
        onnx_.weight(node.layer + ".weight", {classes, graph_.inputOf(node).channels})};
    if (linear.bias) inputs.push_back(onnx_.weight(node.layer + ".bias", {classes}));
    return scaled(onnx_.add("Gemm", "linear", inputs, {{"transB", std::int64_t{1}}}), linear.scale);
  }

  NetworkGraph graph_;
  OnnxGraph& onnx_;
  LayerWriter writer_;
  std::optional<StepState> state_;    // None but for a network of one token.
  std::string input_;                 // The normalised image, or the tokens.
  std::vector<std::string> results_;  // The values that the nodes give.
};

/// The name of the graph, which the format demands.
std::string graphNameOf(const Architecture& architecture) {
  return architecture.name.empty() ? "network" : architecture.name;
}

void requireCausal(const PlacedMixer& place, const std::string& weights) {
  if (isCausal(place.mixer)) return;
  throw Error(weights,
              "the " + std::string(traitsOf(place.mixer).name) + " " + place.name +
                  " sees later tokens, which one step does not have yet");
}

}  // namespace

std::string encodeOnnx(const Architecture& architecture,
                       const SafeTensors& weights,
                       const OnnxDetails& details) {
  const auto channels = static_cast<std::size_t>(architecture.input.channels);
  const bool takesTokens = traitsOf(architecture.stem).takesTokens;
  if (!takesTokens && (details.input.normalization.mean.size() != channels ||
                       details.input.normalization.deviation.size() != channels)) {
    throw Error(details.place,
                "it does not say how its images were normalised",
                "Give the place of the run's data with --data, so that it can be measured.");
  }
  OnnxGraph graph(weights, details.place);
  NetworkWriter(architecture, graph).write(details.input);
  return encodeOnnxModel(
      graph, graphNameOf(architecture), details.programVersion, details.metadata);
}

std::string encodeOnnxStep(const Architecture& architecture,
                           const SafeTensors& weights,
                           const OnnxDetails& details) {
  const NetworkGraph network = graphOf(architecture);
  if (!network.takesTokens()) {
    throw Error(details.place,
                "its network takes images, and one step is that of a sequence of tokens",
                "Export the whole network: --to onnx.");
  }
  for (const PlacedMixer& place : network.mixers()) requireCausal(place, details.place);
  OnnxGraph graph(weights, details.place);
  std::map<std::string, std::string> metadata = details.metadata;
  metadata["state"] = NetworkWriter(architecture, graph).writeStep();
  return encodeOnnxModel(graph, graphNameOf(architecture), details.programVersion, metadata);
}

}  // namespace lambda
