#include "engine/values/architecture/graph.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace lambda {

namespace {

int halved(int size) {
  return (size + 1) / 2;
}

MapShape halved(const MapShape& map) {
  return {map.channels, halved(map.height), halved(map.width)};
}

MapShape withChannels(MapShape map, int channels) {
  map.channels = channels;
  return map;
}

/// Channels of a block's output as a multiple of its stage's width.
int expansionOf(Family family) {
  return family == Family::bottleneck ? 4 : 1;
}

/// Builds a graph from the image to the logits. Functions that add nodes return the last one's
/// index.
class GraphBuilder {
 public:
  explicit GraphBuilder(const Architecture& architecture) : architecture_(architecture) {}

  NetworkGraph run() {
    graph_.image = architecture_.input;
    int last = addStem();
    graph_.stemOutput = mapAt(last);
    for (stage_ = 0; stage_ < static_cast<int>(architecture_.stages.size()); ++stage_) {
      const Stage& stage = architecture_.stages[static_cast<std::size_t>(stage_)];
      for (block_ = 0; block_ < static_cast<int>(stage.blocks.size()); ++block_) {
        last = addBlock(stage, last);
      }
      graph_.stageOutputs.push_back(mapAt(last));
    }
    stage_ = block_ = -1;
    addHead(last);
    return std::move(graph_);
  }

 private:
  const MapShape& mapAt(int node) const { return graph_.mapAt(node); }

  int add(const std::string& layer,
          NodeKind kind,
          std::vector<int> inputs,
          const MapShape& output) {
    graph_.nodes.push_back({layer, std::move(kind), std::move(inputs), output, stage_, block_});
    return static_cast<int>(graph_.nodes.size()) - 1;
  }

  int addActivation(const std::string& layer, int input) {
    return add(layer, ActivationNode{architecture_.activation}, {input}, mapAt(input));
  }

  /// Convolution and norm.
  int addConvolution(const std::string& layer,
                     int input,
                     int channels,
                     const ConvolutionNode& convolution,
                     const NormNode& norm = {}) {
    const auto side = [&](int size) {
      const int beyondFirst = size + 2 * convolution.padding - convolution.kernel;
      return beyondFirst < 0 ? 0 : beyondFirst / convolution.stride + 1;
    };
    const MapShape& map = mapAt(input);
    const MapShape output{channels, side(map.height), side(map.width)};
    const int convolved = add(layer, convolution, {input}, output);
    return add(layer, norm, {convolved}, output);
  }

  /// Convolution, norm and activation.
  int addUnit(const std::string& layer,
              int input,
              int channels,
              const ConvolutionNode& convolution) {
    return addActivation(layer, addConvolution(layer, input, channels, convolution));
  }

  int addPool(const std::string& layer, int input, const PoolNode& pool) {
    return add(layer, pool, {input}, halved(mapAt(input)));
  }

  int addStem() {
    const Stem& stem = architecture_.stem;
    ConvolutionNode first{
        .kernel = 3, .padding = 1, .role = ParameterRole::input, .fixedFilters = stem.whitened};
    switch (stem.kind) {
      case StemKind::cifar:
        break;
      case StemKind::strided:
        first.stride = 2;
        break;
      case StemKind::patch:
        first.kernel = first.stride = std::max(1, stem.patchSize);
        first.padding = 0;
        break;
      case StemKind::imagenet:
        first.kernel = 7;
        first.stride = 2;
        first.padding = 3;
        return addPool("stem", addUnit("stem", kImageInput, stem.width, first), {});
      case StemKind::resnetD:
      case StemKind::resnetRS: {
        const ConvolutionNode next{.kernel = 3, .padding = 1};
        const int narrow = std::max(1, stem.width / 2);
        first.stride = 2;
        int last = addUnit("stem.conv1", kImageInput, narrow, first);
        last = addUnit("stem.conv2", last, narrow, next);
        last = addUnit("stem.conv3", last, stem.width, next);
        if (stem.kind == StemKind::resnetD) return addPool("stem.conv3", last, {});
        return addUnit("stem.conv4", last, stem.width, {.kernel = 3, .stride = 2, .padding = 1});
      }
    }
    return addUnit("stem", kImageInput, stem.width, first);
  }

  /// ResNet-D and ResNet-RS halve the map of a shortcut by pooling before its convolution.
  bool poolsShortcuts() const {
    return architecture_.stem.kind == StemKind::resnetD ||
           architecture_.stem.kind == StemKind::resnetRS;
  }

  std::string blockName() const {
    return "stage" + std::to_string(stage_ + 1) + ".block" + std::to_string(block_ + 1);
  }

  int addBlock(const Stage& stage, int input) {
    const Block& block = stage.blocks[static_cast<std::size_t>(block_)];
    const Family family = architecture_.family;
    const std::string name = blockName();
    const int stride = block_ == 0 ? stage.stride : 1;
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
        last = addUnit(name + ".reduce", last, stage.width, {});
        last = addMixer(block, last, stage.width, stride, std::nullopt);
        last = addSqueeze(block, SqueezePlace::afterMixer, last);
        last = addConvolution(name + ".expand", last, outputs, {}, lastNorm);
        last = addSqueeze(block, SqueezePlace::afterExpansion, last);
        break;
      case Family::invertedBottleneck:
        if (block.expansion > 0) {
          last = addUnit(name + ".expand", last, inputs * block.expansion, {});
        }
        last = addMixer(block, last, mapAt(last).channels, stride, std::nullopt);
        last = addSqueeze(block, block.squeezePlace, last);
        last = addConvolution(name + ".project", last, outputs, {}, lastNorm);
        break;
      case Family::basic:
        last = addUnit(
            name + ".conv", last, stage.width, {.kernel = 3, .stride = stride, .padding = 1});
        last = addMixer(block, last, stage.width, 1, lastNorm);
        last = addSqueeze(block, block.squeezePlace, last);
        break;
      case Family::plain:
        last = addMixer(
            block, last, stage.width, stride, hasShortcut ? std::optional(lastNorm) : std::nullopt);
        last = addSqueeze(block, block.squeezePlace, last);
        break;
    }
    if (!hasShortcut) return last;
    const int shortcut = keepsShape ? input : addShortcut(input, outputs, stride);
    last = add(name, SumNode{block.stochasticDepth}, {shortcut, last}, mapAt(last));
    return family == Family::invertedBottleneck ? last : addActivation(name, last);
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
                      .stage = stage_,
                      .block = block_,
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
    int node = add(layer, std::move(mixer), {input}, output);
    if (pool) node = addPool(layer, node, *pool);
    node = add(layer, last.value_or(NormNode{}), {node}, mapAt(node));
    return last ? node : addActivation(layer, node);
  }

  /// Squeeze-and-excitation if the block has it at that place.
  int addSqueeze(const Block& block, SqueezePlace place, int input) {
    if (!block.squeezeExcitation || block.squeezePlace != place) return input;
    return add(blockName() + ".squeeze", SqueezeNode{block.squeezeRatio}, {input}, mapAt(input));
  }

  int addShortcut(int input, int outputs, int stride) {
    const std::string layer = blockName() + ".shortcut";
    if (stride == 2 && poolsShortcuts()) {
      input = addPool(layer, input, {Pooling::average, 2});
      stride = 1;
    }
    return addConvolution(layer, input, outputs, {.stride = stride});
  }

  void addHead(int last) {
    const Head& head = architecture_.head;
    if (head.width > 0) last = addUnit("headConv", last, head.width, {});
    const MapShape features{mapAt(last).channels, 1, 1};
    last = add("head", FeaturesNode{head.pooling, head.dropout}, {last}, features);
    add("head", LinearNode{head.bias, head.scale}, {last}, {architecture_.classes, 1, 1});
  }

  const Architecture& architecture_;
  NetworkGraph graph_;
  int stage_ = -1;  // The block that is being added; -1 in the stem and the head.
  int block_ = -1;
};

}  // namespace

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
  return GraphBuilder(architecture).run();
}

FirstConvolution firstConvolutionOf(const NetworkGraph& graph) {
  const Node& first = graph.nodes.front();
  return {std::get<ConvolutionNode>(first.kind).kernel, first.output.channels};
}

bool hasOption(Family family, std::string_view option) {
  if (option == "residual") return family == Family::plain;
  if (option == "squeezePlace") return family == Family::bottleneck;
  if (option == "expansion") return family == Family::invertedBottleneck;
  return true;
}

}  // namespace lambda
