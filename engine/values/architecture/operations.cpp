#include "engine/values/architecture/operations.h"

#include <algorithm>
#include <utility>

#include "engine/values/architecture/operation_list.h"
#include "engine/values/architecture/plan.h"

namespace lambda {

namespace {

constexpr MapShape kNothingKept{0, 0, 0};

/// Walks through a network from the image to the logits.
class NetworkWalk {
 public:
  explicit NetworkWalk(const Architecture& architecture) : architecture_(architecture) {}

  NetworkOperations run() {
    const NetworkPlan plan = planOf(architecture_);
    addStem(plan.stemOutput);
    for (const BlockPlan& block : plan.blocks) addBlock(block);
    addHead(plan);
    return list_.take();
  }

 private:
  /// Convolution, norm and an activation where `isActivated`, as one layer.
  int addUnit(OperatedLayer layer, int input, int inputChannels, int kernel, bool isActivated) {
    const MapShape output = layer.output;
    list_.beginLayer(std::move(layer));
    const int convolution = list_.addConvolution(input, inputChannels, kernel, output);
    const int norm = list_.addNorm(convolution, output, output);
    return isActivated ? list_.addActivation(norm, output, output) : norm;
  }

  int addStemUnit(const char* name, int inputChannels, int kernel, const MapShape& output) {
    const OperatedLayer layer{.name = name, .kind = "convolution", .output = output};
    return addUnit(layer, last_, inputChannels, kernel, true);
  }

  void addStem(const MapShape& output) {
    const Stem& stem = architecture_.stem;
    const MapShape& input = architecture_.input;
    const MapShape half{stem.width, (input.height + 1) / 2, (input.width + 1) / 2};
    switch (stem.kind) {
      case StemKind::cifar:
        last_ = addStemUnit("stem", input.channels, 3, output);
        return;
      case StemKind::patch:
        last_ = addStemUnit("stem", input.channels, stem.patchSize, output);
        return;
      case StemKind::imagenet:
        last_ = addPooledStemUnit("stem", input.channels, 7, half, output);
        return;
      case StemKind::strided:
        last_ = addStemUnit("stem", input.channels, 3, output);
        return;
      case StemKind::resnetD:
      case StemKind::resnetRS: {
        const MapShape narrow{std::max(1, stem.width / 2), half.height, half.width};
        last_ = addStemUnit("stem.conv1", input.channels, 3, narrow);
        last_ = addStemUnit("stem.conv2", narrow.channels, 3, narrow);
        if (stem.kind == StemKind::resnetD) {
          last_ = addPooledStemUnit("stem.conv3", narrow.channels, 3, half, output);
        } else {
          last_ = addStemUnit("stem.conv3", narrow.channels, 3, half);
          last_ = addStemUnit("stem.conv4", stem.width, 3, output);
        }
        return;
      }
    }
  }

  /// A stem's convolution with the max pooling that ends it, as one layer.
  int addPooledStemUnit(const char* name,
                        int inputChannels,
                        int kernel,
                        const MapShape& map,
                        const MapShape& pooled) {
    list_.beginLayer({.name = name, .kind = "convolution", .output = pooled});
    const int convolution = list_.addConvolution(last_, inputChannels, kernel, map);
    const int norm = list_.addNorm(convolution, map, map);
    const int activation = list_.addActivation(norm, map, map);
    return addPooling("3×3 max pooling", "y_n = max_δ x_{2n+δ}", activation, pooled, pooled);
  }

  int addPooling(std::string name,
                 std::string_view equation,
                 int input,
                 const MapShape& output,
                 const MapShape& kept) {
    return list_.add(
        {.name = std::move(name),
         .equation = equation,
         .meaning = "Keeps every second position, so that later layers work on a quarter "
                    "of the map.",
         .axes = "H×W×C",
         .output = sizesOf(output),
         .inputs = {input},
         .activationBytes = countOf(kFloatBytes * static_cast<double>(kept.elements()))});
  }

  OperatedLayer layerOf(const BlockPlan& block,
                        const char* part,
                        const MapShape& output,
                        std::string_view kind = "convolution") const {
    return {block.name + "." + part, std::string(kind), output, block.stage, block.block};
  }

  void addBlock(const BlockPlan& block) {
    const int input = last_;
    switch (architecture_.family) {
      case Family::bottleneck:
        last_ = addUnit(
            layerOf(block, "reduce", reducedMap(block)), last_, block.input.channels, 1, true);
        addMixer(block);
        last_ = addUnit(
            layerOf(block, "expand", block.output), last_, block.mixerOutput.channels, 1, false);
        if (block.options.squeezeExcitation && squeezesOutput(block, architecture_.family)) {
          addSqueezeExcitation(block, block.output);
        }
        break;
      case Family::invertedBottleneck:
        if (block.options.expansion > 0) {
          last_ = addUnit(
              layerOf(block, "expand", reducedMap(block)), last_, block.input.channels, 1, true);
        }
        addMixer(block);
        last_ = addUnit(
            layerOf(block, "project", block.output), last_, block.mixerOutput.channels, 1, false);
        break;
      case Family::basic:
        last_ =
            addUnit(layerOf(block, "conv", block.mixerInput), last_, block.input.channels, 3, true);
        addMixer(block);
        break;
      case Family::plain:
        addMixer(block);
        break;
    }
    if (block.shortcut) addShortcut(block, input);
  }

  /// Adds the block's input to its branch. Addition and activation cost as parts of the layer that
  /// ends the branch.
  void addShortcut(const BlockPlan& block, int input) {
    const int branch = last_;
    const int layer = list_.currentLayer();
    if (block.projection) {
      input =
          addUnit(layerOf(block, "shortcut", block.output), input, block.input.channels, 1, false);
    }
    list_.resumeLayer(layer);
    const int sum = list_.add({.name = "shortcut",
                               .equation = "y = x + F(x)",
                               .meaning = "Adds the block's input to the result of its branch, so "
                                          "that gradients reach early layers unchanged.",
                               .axes = "H×W×C",
                               .output = sizesOf(block.output),
                               .inputs = {input, branch}});
    if (architecture_.family == Family::invertedBottleneck) {
      last_ = sum;
      return;
    }
    const bool isKept = architecture_.family == Family::bottleneck;
    last_ = list_.addActivation(sum, block.output, isKept ? block.output : kNothingKept);
  }

  void addMixer(const BlockPlan& block) {
    const MapShape pooled{block.mixerOutput.channels, block.output.height, block.output.width};
    list_.beginLayer(layerOf(block, "mixer", pooled, traitsOf(block.options.mixer).kind));
    last_ = addMixerOperations(list_, block, last_);
    switch (block.pooling) {
      case StridePooling::none:
        break;
      case StridePooling::average:
        last_ =
            addPooling("3×3 average pooling", "y_n = mean_δ x_{2n+δ}", last_, pooled, kNothingKept);
        break;
      case StridePooling::max:
        last_ = addPooling("2×2 max pooling", "y_n = max_δ x_{2n+δ}", last_, pooled, kNothingKept);
        break;
    }
    last_ = list_.addNorm(last_, pooled, block.mixerOutput);
    // Where the mixer ends a residual branch, its activation follows the addition.
    const bool endsBranch = mixerEndsBranch(block, architecture_.family);
    if (!endsBranch) last_ = list_.addActivation(last_, pooled, block.mixerOutput);
    if (block.options.squeezeExcitation && !squeezesOutput(block, architecture_.family)) {
      addSqueezeExcitation(block, pooled);
    }
  }

  void addSqueezeExcitation(const BlockPlan& block, const MapShape& map) {
    list_.beginLayer(layerOf(block, "squeeze", map, "squeeze-excitation"));
    last_ = list_.addSqueezeExcitation(last_, map, block.options.squeezeRatio);
  }

  static MapShape reducedMap(const BlockPlan& block) {
    return {block.mixerInput.channels, block.input.height, block.input.width};
  }

  void addHead(const NetworkPlan& plan) {
    const MapShape& features = plan.features;
    if (architecture_.head.width > 0) {
      const OperatedLayer layer{.name = "headConv", .kind = "convolution", .output = plan.features};
      last_ = addUnit(layer, last_, plan.lastMap.channels, 1, true);
    }
    list_.beginLayer({.name = "head", .kind = "linear", .output = {architecture_.classes, 1, 1}});
    const bool isMax = architecture_.head.pooling == Pooling::max;
    const int pooled =
        list_.add({.name = isMax ? "maximum over positions" : "mean over positions",
                   .equation = isMax ? "z_c = max_n x_{nc}" : "z_c = mean_n x_{nc}",
                   .meaning = "One number for each channel, wherever on the map it comes from.",
                   .axes = "C",
                   .output = {features.channels},
                   .inputs = {last_},
                   .activationBytes = countOf(kFloatBytes * features.channels)});
    const long long classes = architecture_.classes;
    const long long weights = features.channels * classes;
    last_ = list_.add({.name = "linear",
                       .equation = "logits = W z + b",
                       .meaning = "A score for every class.",
                       .axes = "classes",
                       .output = {classes},
                       .inputs = {pooled},
                       .parameters = weights + (architecture_.head.bias ? classes : 0),
                       .flops = 2 * weights,
                       .activationBytes = countOf(kFloatBytes * static_cast<double>(classes))});
  }

  const Architecture& architecture_;
  OperationList list_;
  int last_ = kImageInput;
};

}  // namespace

NetworkOperations operationsOf(const Architecture& architecture) {
  return NetworkWalk(architecture).run();
}

std::vector<Operation> operationsOfBlock(const NetworkOperations& network, int stage, int block) {
  std::vector<Operation> operations;
  int first = -1;
  for (std::size_t i = 0; i < network.operations.size(); ++i) {
    const Operation& operation = network.operations[i];
    const OperatedLayer& layer = network.layers[static_cast<std::size_t>(operation.layer)];
    if (layer.stage != stage || layer.block != block) continue;
    if (first < 0) first = static_cast<int>(i);
    operations.push_back(operation);
    for (int& input : operations.back().inputs) input = std::max(input - first, kImageInput);
  }
  return operations;
}

}  // namespace lambda
