#include "engine/values/architecture/graph.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/values/architecture/graph_builder.h"

namespace lambda {

namespace {

MapShape withChannels(MapShape map, int channels) {
  map.channels = channels;
  return map;
}

/// Channels of a block's output as a multiple of its stage's width.
int expansionOf(Family family) {
  return family == Family::bottleneck ? 4 : 1;
}

/// Builds the graph of an architecture, from the image to the logits.
class ArchitectureGraph {
 public:
  explicit ArchitectureGraph(const Architecture& architecture)
      : architecture_(architecture),
        builder_(architecture.input, architecture.activation, architecture.outputs) {}

  NetworkGraph run() {
    int last = addStem(builder_, architecture_.stem);
    builder_.graph.stemOutput = mapAt(last);
    int stageIndex = 0;
    for (const Stage& stage : architecture_.stages) {
      int blockIndex = 0;
      for (const Block& block : stage.blocks) {
        builder_.enter(stageIndex, blockIndex);
        last = addBlock(stage, block, last);
        ++blockIndex;
      }
      builder_.graph.stageOutputs.push_back(mapAt(last));
      ++stageIndex;
    }
    builder_.enter(-1, -1);
    addHead(last);
    return std::move(builder_.graph);
  }

 private:
  const MapShape& mapAt(int node) const { return builder_.graph.mapAt(node); }

  std::string blockName() const {
    return "stage" + std::to_string(builder_.stage() + 1) + ".block" +
           std::to_string(builder_.block() + 1);
  }

  /// A branch with the mixer, then one with the channel mixing, each after a layer norm.
  int addSequenceBlock(const Block& block, int input) {
    const std::string name = blockName();
    const MapShape map = mapAt(input);
    PlacedMixer mixer{.name = name + ".mixer",
                      .stage = builder_.stage(),
                      .block = builder_.block(),
                      .mixer = block.mixer,
                      .input = map,
                      .output = map};
    int last = builder_.addLayerNorm(name + ".mixerNorm", input);
    last = builder_.add(mixer.name, mixer, {last}, map);
    const int mixed = builder_.add(name, SumNode{block.stochasticDepth}, {input, last}, map);
    last = builder_.addLayerNorm(name + ".channelNorm", mixed);
    const ChannelMixingNode channels{
        block.channelMixing, map.channels * std::max(1, block.expansion), architecture_.activation};
    last = builder_.add(name + ".channels", channels, {last}, map);
    return builder_.add(name, SumNode{block.stochasticDepth}, {mixed, last}, map);
  }

  int addBlock(const Stage& stage, const Block& block, int input) {
    const Family family = architecture_.family;
    if (family == Family::sequence) return addSequenceBlock(block, input);
    const std::string name = blockName();
    const int stride = builder_.block() == 0 ? stage.stride : 1;
    const int inputs = mapAt(input).channels;
    const int outputs = stage.width * expansionOf(family);
    const bool keepsShape = stride == 1 && inputs == outputs;
    bool hasShortcut = true;
    if (family == Family::invertedBottleneck) hasShortcut = keepsShape;
    if (family == Family::plain) {
      hasShortcut = traitsOf(block.mixer).needsShortcut || block.residual;
    }
    const NormNode lastNorm{.startsAtZero = hasShortcut && architecture_.zeroInitResidual};
    int last = input;
    switch (family) {
      case Family::bottleneck:
        last = builder_.addUnit(name + ".reduce", last, stage.width, {});
        last = addMixer(block, last, stage.width, stride, std::nullopt);
        last = addSqueeze(block, SqueezePlace::afterMixer, last);
        last = builder_.addConvolution(name + ".expand", last, outputs, {}, lastNorm);
        last = addSqueeze(block, SqueezePlace::afterExpansion, last);
        break;
      case Family::invertedBottleneck:
        if (block.expansion > 0) {
          last = builder_.addUnit(name + ".expand", last, inputs * block.expansion, {});
        }
        last = addMixer(block, last, mapAt(last).channels, stride, std::nullopt);
        last = addSqueeze(block, block.squeezePlace, last);
        last = builder_.addConvolution(name + ".project", last, outputs, {}, lastNorm);
        break;
      case Family::basic:
        last = builder_.addUnit(
            name + ".conv", last, stage.width, {.kernel = 3, .stride = stride, .padding = 1});
        last = addMixer(block, last, stage.width, 1, lastNorm);
        last = addSqueeze(block, block.squeezePlace, last);
        break;
      case Family::plain:
        last = addMixer(
            block, last, stage.width, stride, hasShortcut ? std::optional(lastNorm) : std::nullopt);
        last = addSqueeze(block, block.squeezePlace, last);
        break;
      case Family::sequence:
        break;
    }
    if (!hasShortcut) return last;
    const int shortcut = keepsShape ? input : addShortcut(input, outputs, stride);
    last = builder_.add(name, SumNode{block.stochasticDepth}, {shortcut, last}, mapAt(last));
    return family == Family::invertedBottleneck ? last : builder_.addActivation(name, last);
  }

  /// The block's mixer with its norm, which the activation follows unless it is the `last` norm of
  /// a residual branch.
  int addMixer(const Block& block,
               int input,
               int channels,
               int stride,
               const std::optional<NormNode>& last) {
    const std::string layer = blockName() + ".mixer";
    PlacedMixer mixer{.name = layer,
                      .stage = builder_.stage(),
                      .block = builder_.block(),
                      .mixer = block.mixer,
                      .input = mapAt(input),
                      .output = withChannels(mapAt(input), channels)};
    std::optional<PoolNode> pool;
    if (stride == 2) {
      if (!traitsOf(block.mixer).supportsStride) {
        pool = PoolNode{Pooling::average, 3};  // LambdaNetworks, appendix E.1.
      } else if (architecture_.family == Family::plain) {
        pool = PoolNode{Pooling::max, 2};
      } else {
        mixer.stride = 2;
        mixer.output = halved(mixer.output);
      }
    }
    const MapShape output = mixer.output;
    int node = builder_.add(layer, std::move(mixer), {input}, output);
    if (pool) node = builder_.addPool(layer, node, *pool);
    node = builder_.add(layer, last.value_or(NormNode{}), {node}, mapAt(node));
    return last ? node : builder_.addActivation(layer, node);
  }

  /// Squeeze-and-excitation if the block has it at that place.
  int addSqueeze(const Block& block, SqueezePlace place, int input) {
    if (!block.squeezeExcitation || block.squeezePlace != place) return input;
    return builder_.add(
        blockName() + ".squeeze", SqueezeNode{block.squeezeRatio}, {input}, mapAt(input));
  }

  int addShortcut(int input, int outputs, int stride) {
    const std::string layer = blockName() + ".shortcut";
    if (stride == 2 && traitsOf(architecture_.stem).poolsShortcuts) {
      input = builder_.addPool(layer, input, {Pooling::average, 2});
      stride = 1;
    }
    return builder_.addConvolution(layer, input, outputs, {.stride = stride});
  }

  void addHead(int last) {
    const Head& head = architecture_.head;
    if (architecture_.family == Family::sequence) last = builder_.addLayerNorm("headNorm", last);
    if (head.width > 0) last = builder_.addUnit("headConv", last, head.width, {});
    if (architecture_.task == Task::tokens) {
      const LinearNode linear{.bias = head.bias, .scale = head.scale, .atPositions = true};
      builder_.add("head", linear, {last}, withChannels(mapAt(last), architecture_.outputs));
      return;
    }
    const MapShape features{mapAt(last).channels, 1, 1};
    last = builder_.add("head", FeaturesNode{head.pooling, head.dropout}, {last}, features);
    builder_.add("head", LinearNode{head.bias, head.scale}, {last}, {architecture_.outputs, 1, 1});
  }

  const Architecture& architecture_;
  GraphBuilder builder_;
};

}  // namespace

MapShape halved(const MapShape& map) {
  return {map.channels, (map.height + 1) / 2, (map.width + 1) / 2};
}

int GraphBuilder::add(const std::string& layer,
                      NodeKind kind,
                      std::vector<int> inputs,
                      const MapShape& output) {
  graph.nodes.push_back({layer, std::move(kind), std::move(inputs), output, stage_, block_});
  return static_cast<int>(graph.nodes.size()) - 1;
}

int GraphBuilder::addActivation(const std::string& layer, int input) {
  const MapShape map = graph.mapAt(input);
  return add(layer, ActivationNode{activation_}, {input}, map);
}

int GraphBuilder::addConvolution(const std::string& layer,
                                 int input,
                                 int channels,
                                 const ConvolutionNode& convolution,
                                 const NormNode& norm) {
  const auto side = [&](int size) {
    const int beyondFirst = size + 2 * convolution.padding - convolution.kernel;
    return beyondFirst < 0 ? 0 : beyondFirst / convolution.stride + 1;
  };
  const MapShape& map = graph.mapAt(input);
  const MapShape output{channels, side(map.height), side(map.width)};
  const int convolved = add(layer, convolution, {input}, output);
  return add(layer, norm, {convolved}, output);
}

int GraphBuilder::addEmbedding(const std::string& layer, int channels) {
  const MapShape output{channels, graph.image.height, graph.image.width};
  const int embedded = add(layer, EmbeddingNode{vocabulary_}, {kImageInput}, output);
  return addLayerNorm(layer + "Norm", embedded);
}

int GraphBuilder::addLayerNorm(const std::string& layer, int input) {
  const MapShape map = graph.mapAt(input);
  return add(layer, LayerNormNode{}, {input}, map);
}

int GraphBuilder::addPool(const std::string& layer, int input, const PoolNode& pool) {
  const MapShape output = halved(graph.mapAt(input));
  return add(layer, pool, {input}, output);
}

int squeezedChannels(int channels, int ratio) {
  return std::max(1, channels / ratio);
}

const MapShape& NetworkGraph::mapAt(int node) const {
  return node == kImageInput ? image : nodes[static_cast<std::size_t>(node)].output;
}

std::vector<PlacedMixer> NetworkGraph::mixers() const {
  std::vector<PlacedMixer> mixers;
  for (const Node& node : nodes) {
    if (const auto* mixer = std::get_if<PlacedMixer>(&node.kind)) mixers.push_back(*mixer);
  }
  return mixers;
}

const PlacedMixer* NetworkGraph::mixerAt(int stage, int block) const {
  for (const Node& node : nodes) {
    const auto* mixer = std::get_if<PlacedMixer>(&node.kind);
    if (mixer != nullptr && mixer->stage == stage && mixer->block == block) return mixer;
  }
  return nullptr;
}

NetworkGraph graphOf(const Architecture& architecture) {
  return ArchitectureGraph(architecture).run();
}

FirstConvolution firstConvolutionOf(const NetworkGraph& graph) {
  const Node& first = graph.nodes.front();
  return {std::get<ConvolutionNode>(first.kind).kernel, first.output.channels};
}

bool hasOption(Family family, std::string_view option) {
  if (option == "residual") return family == Family::plain;
  if (option == "squeezePlace") return family == Family::bottleneck;
  if (option == "expansion") {
    return family == Family::invertedBottleneck || family == Family::sequence;
  }
  if (option == "channelMixing") return family == Family::sequence;
  if (family == Family::sequence && option.starts_with("squeeze")) return false;
  return true;
}

bool isOfSequences(Family family) {
  return family == Family::sequence;
}

}  // namespace lambda
