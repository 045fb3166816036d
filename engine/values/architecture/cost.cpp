#include "engine/values/architecture/cost.h"

#include <algorithm>
#include <set>

#include "engine/values/architecture/plan.h"
#include "engine/values/architecture/position_path.h"

namespace lambda {

namespace {

constexpr long long kFloatBytes = 4;

/// Caps counts at 2^53: a valid configuration may describe a network that no machine can hold.
long long countOf(double value) {
  return static_cast<long long>(std::min(value, 0x1p53));
}

void addTo(long long& total, long long count) {
  total = countOf(static_cast<double>(total) + static_cast<double>(count));
}

/// Collects the layers of one network; embeddings shared between layers count once.
class CostModel {
 public:
  explicit CostModel(const Architecture& architecture) : architecture_(architecture) {}

  NetworkCost run() {
    const NetworkPlan plan = planOf(architecture_);
    addStem(plan.stemOutput);
    for (const BlockPlan& block : plan.blocks) addBlock(block);
    addHead(plan.features);
    for (const LayerCost& layer : cost_.layers) {
      addTo(cost_.parameters, layer.parameters);
      addTo(cost_.flops, layer.flops);
      addTo(cost_.activationBytes, layer.activationBytes);
    }
    return std::move(cost_);
  }

 private:
  template <class M>
  static std::string kindOf(const M&) {
    return std::string(TraitsOf<M>::value.kind);
  }

  /// Convolution without bias, batch norm, and an activation where `activated`.
  LayerCost convolution(const std::string& name,
                        int inputChannels,
                        int kernel,
                        const MapShape& output,
                        bool activated) {
    LayerCost layer;
    layer.name = name;
    layer.kind = "convolution";
    layer.output = output;
    const long long weights =
        static_cast<long long>(inputChannels) * output.channels * kernel * kernel;
    layer.parameters = weights + 2LL * output.channels;
    layer.flops =
        countOf(2.0 * static_cast<double>(weights) * static_cast<double>(output.positions()));
    layer.activationBytes = (activated ? 3 : 2) * output.elements() * kFloatBytes;
    return layer;
  }

  void add(LayerCost layer) { cost_.layers.push_back(std::move(layer)); }

  void addStem(const MapShape& output) {
    const Stem& stem = architecture_.stem;
    const MapShape& input = architecture_.input;
    const MapShape half{stem.width, (input.height + 1) / 2, (input.width + 1) / 2};
    switch (stem.kind) {
      case StemKind::cifar:
        add(convolution("stem", input.channels, 3, output, true));
        return;
      case StemKind::patch:
        add(convolution("stem", input.channels, stem.patchSize, output, true));
        return;
      case StemKind::imagenet: {
        LayerCost layer = convolution("stem", input.channels, 7, half, true);
        layer.output = output;
        layer.activationBytes += output.elements() * kFloatBytes;
        add(layer);
        return;
      }
      case StemKind::resnetD: {
        const MapShape narrow{std::max(1, stem.width / 2), half.height, half.width};
        add(convolution("stem.conv1", input.channels, 3, narrow, true));
        add(convolution("stem.conv2", narrow.channels, 3, narrow, true));
        add(convolution("stem.conv3", narrow.channels, 3, half, true));
        add(convolution("stem.conv4", stem.width, 3, output, true));
        return;
      }
    }
  }

  void addMixer(const BlockPlan& block) {
    const std::string name = block.name + ".mixer";
    std::visit([&](const auto& mixer) { addMixerLayer(name, mixer, block); }, block.options.mixer);
    if (block.options.squeezeExcitation) addSqueezeExcitation(block);
  }

  /// Whether the mixer's unit ends a residual branch, so that its activation follows the addition.
  bool endsBranch(const BlockPlan& block) const {
    return architecture_.family != Family::bottleneck && block.shortcut;
  }

  void addMixerLayer(const std::string& name,
                     const ConvolutionMixer& mixer,
                     const BlockPlan& block) {
    LayerCost layer = convolution(
        name, block.mixerInput.channels, mixer.kernelSize, block.mixerOutput, !endsBranch(block));
    layer.output = pooledMap(block);
    add(std::move(layer));
  }

  void addMixerLayer(const std::string& name, const LambdaMixer& mixer, const BlockPlan& block) {
    const double d = block.mixerInput.channels;
    const auto n = static_cast<double>(block.mixerInput.positions());
    const double k = mixer.queryDepth;
    const double h = mixer.heads;
    const double u = mixer.intraDepth;
    const double v = block.mixerOutput.channels / std::max(1, mixer.heads);
    const double scope = mixer.scope;
    const double keys = mixer.content ? k * u : 0;
    const double projected = h * k + keys + v * u;

    double parameters = d * projected;
    if (mixer.normalizeQueries) parameters += 2 * h * k;
    if (mixer.normalizeValues) parameters += 2 * v * u;
    if (ownsEmbeddings(mixer)) {
      parameters += static_cast<double>(embeddingRows(mixer, block.mixerInput)) * k * u;
    }
    parameters += 2.0 * block.mixerOutput.channels;  // The norm that follows the layer.

    double flops = 2 * n * d * projected;
    if (mixer.content) flops += 2 * n * u * k * v + 2 * n * h * k * v;
    double kept = n * (2 * projected + 2 * block.mixerOutput.channels);
    switch (positionPathOf(mixer, block.mixerInput, block.mixerOutput.channels)) {
      case PositionPath::none:
        break;
      case PositionPath::convolution:
        flops += 2 * n * scope * scope * u * k * v + 2 * n * h * k * v;
        kept += n * k * v;
        break;
      case PositionPath::dense:
        // The fused kernels compute the n^2 scores again in the backward pass.
        flops += 2 * n * n * u * h * (k + v);
        break;
    }
    add({name,
         kindOf(mixer),
         pooledMap(block),
         countOf(parameters),
         countOf(flops),
         countOf(kept * kFloatBytes)});
  }

  void addMixerLayer(const std::string& name,
                     const DepthwiseConvolutionMixer& mixer,
                     const BlockPlan& block) {
    const MapShape& output = block.mixerOutput;
    const long long in = block.mixerInput.channels;
    const bool isSeparable = in != output.channels;
    const long long weights =
        in * mixer.kernelSize * mixer.kernelSize + (isSeparable ? in * output.channels : 0);
    LayerCost layer;
    layer.name = name;
    layer.kind = kindOf(mixer);
    layer.output = pooledMap(block);
    layer.parameters = weights + 2LL * output.channels;
    layer.flops =
        countOf(2.0 * static_cast<double>(weights) * static_cast<double>(output.positions()));
    const long long between = isSeparable ? in * output.positions() : 0;
    layer.activationBytes =
        ((endsBranch(block) ? 2 : 3) * output.elements() + between) * kFloatBytes;
    add(std::move(layer));
  }

  bool ownsEmbeddings(const LambdaMixer& mixer) {
    if (mixer.embedding == PositionEmbedding::none) return false;
    return mixer.sharedEmbeddings.empty() || sharedNames_.insert(mixer.sharedEmbeddings).second;
  }

  void addSqueezeExcitation(const BlockPlan& block) {
    const MapShape map = pooledMap(block);
    const long long squeezed = squeezedChannels(map.channels);
    LayerCost layer;
    layer.name = block.name + ".squeeze";
    layer.kind = "squeeze-excitation";
    layer.output = map;
    layer.parameters = 2 * squeezed * map.channels + squeezed + map.channels;
    layer.flops = 4 * squeezed * map.channels;
    layer.activationBytes = map.elements() * kFloatBytes;
    add(layer);
  }

  void addBlock(const BlockPlan& block) {
    switch (architecture_.family) {
      case Family::bottleneck:
        add(convolution(block.name + ".reduce", block.input.channels, 1, reducedMap(block), true));
        addMixer(block);
        add(convolution(block.name + ".expand", block.mixerOutput.channels, 1, block.output, true));
        break;
      case Family::basic:
        add(convolution(block.name + ".conv", block.input.channels, 3, block.mixerInput, true));
        addMixer(block);
        break;
      case Family::plain:
        addMixer(block);
        break;
    }
    if (block.projection) {
      add(convolution(block.name + ".shortcut", block.input.channels, 1, block.output, false));
    }
  }

  /// The mixer's output after any pooling for the stride.
  static MapShape pooledMap(const BlockPlan& block) {
    return {block.mixerOutput.channels, block.output.height, block.output.width};
  }

  static MapShape reducedMap(const BlockPlan& block) {
    return {block.mixerInput.channels, block.input.height, block.input.width};
  }

  void addHead(const MapShape& features) {
    LayerCost layer;
    layer.name = "head";
    layer.kind = "linear";
    layer.output = {architecture_.classes, 1, 1};
    const long long weights = static_cast<long long>(features.channels) * architecture_.classes;
    layer.parameters = weights + (architecture_.head.bias ? architecture_.classes : 0);
    layer.flops = 2 * weights;
    layer.activationBytes = (features.channels + architecture_.classes) * kFloatBytes;
    add(layer);
  }

  const Architecture& architecture_;
  NetworkCost cost_;
  std::set<std::string> sharedNames_;
};

}  // namespace

NetworkCost costOf(const Architecture& architecture) {
  return CostModel(architecture).run();
}

long long trainingBytes(const NetworkCost& cost, int batchSize, int stateCopies) {
  const double values = static_cast<double>(cost.parameters) * (2 + stateCopies);
  return countOf(values * kFloatBytes + static_cast<double>(cost.activationBytes) * batchSize);
}

long long trainingBytes(const NetworkCost& cost, const Recipe& recipe) {
  int stateCopies = 2;  // Both moments of Adam.
  if (recipe.optimizer.kind == OptimizerKind::muon) stateCopies = 1;
  if (recipe.optimizer.kind == OptimizerKind::sgd)
    stateCopies = recipe.optimizer.momentum > 0 ? 1 : 0;
  return trainingBytes(cost, recipe.batchSize, stateCopies);
}

}  // namespace lambda
