#include "engine/values/architecture/plan.h"

#include <algorithm>

namespace lambda {

namespace {

int halved(int size, int times = 1) {
  for (; times > 0; --times) size = (size + 1) / 2;
  return size;
}

MapShape stemOutputOf(const Architecture& architecture) {
  const MapShape& input = architecture.input;
  const Stem& stem = architecture.stem;
  switch (stem.kind) {
    case StemKind::cifar:
      return {stem.width, input.height, input.width};
    case StemKind::imagenet:
    case StemKind::resnetD:
    case StemKind::resnetRS:
      return {stem.width, halved(input.height, 2), halved(input.width, 2)};
    case StemKind::strided:
      return {stem.width, halved(input.height), halved(input.width)};
    case StemKind::patch: {
      const int patch = std::max(stem.patchSize, 1);
      return {stem.width, input.height / patch, input.width / patch};
    }
  }
  return {};
}

/// Plans how a block with stride 2 halves its map at the mixer. In a basic block the first
/// convolution has already halved it.
void planStride(BlockPlan& plan, Family family, const MixerTraits& mixer) {
  if (plan.stride != 2 || family == Family::basic) return;
  if (!mixer.supportsStride) {
    plan.pooling = StridePooling::average;
  } else if (family == Family::plain) {
    plan.pooling = StridePooling::max;
  } else {
    plan.mixerStride = plan.stride;
    plan.mixerOutput.height = plan.output.height;
    plan.mixerOutput.width = plan.output.width;
  }
}

BlockPlan planBlock(const Architecture& architecture,
                    int stageIndex,
                    int blockIndex,
                    const MapShape& input) {
  const Stage& stage = architecture.stages[static_cast<std::size_t>(stageIndex)];
  BlockPlan plan;
  plan.name = "stage" + std::to_string(stageIndex + 1) + ".block" + std::to_string(blockIndex + 1);
  plan.stage = stageIndex;
  plan.block = blockIndex;
  plan.options = stage.blocks[static_cast<std::size_t>(blockIndex)];
  plan.input = input;
  plan.stride = blockIndex == 0 ? stage.stride : 1;
  const bool strided = plan.stride == 2;
  plan.output = {stage.width * expansionOf(architecture.family),
                 strided ? halved(input.height) : input.height,
                 strided ? halved(input.width) : input.width};

  const MixerTraits& mixer = traitsOf(plan.options.mixer);
  const bool plain = architecture.family == Family::plain;
  const bool inverted = architecture.family == Family::invertedBottleneck;
  // A basic block's first convolution has the stride, so that its mixer's input is the smaller map.
  const bool mixerSeesOutputMap = architecture.family == Family::basic;
  plan.mixerInput = mixerSeesOutputMap ? plan.output : input;
  plan.mixerInput.channels = plain ? input.channels : stage.width;
  if (inverted) plan.mixerInput.channels = input.channels * std::max(1, plan.options.expansion);
  plan.mixerOutput = plan.mixerInput;
  if (!inverted) plan.mixerOutput.channels = stage.width;
  planStride(plan, architecture.family, mixer);
  const bool keepsShape = !strided && input.channels == plan.output.channels;
  plan.shortcut = inverted ? keepsShape : !plain || mixer.needsShortcut || plan.options.residual;
  plan.projection = plan.shortcut && (strided || input.channels != plan.output.channels);
  return plan;
}

}  // namespace

int expansionOf(Family family) {
  return family == Family::bottleneck ? 4 : 1;
}

long long embeddingRows(const LambdaMixer& mixer, const MapShape& map) {
  switch (mixer.embedding) {
    case PositionEmbedding::none:
      return 0;
    case PositionEmbedding::absolute:
      return map.positions() * map.positions();
    case PositionEmbedding::relative:
      if (mixer.scope > 0) return static_cast<long long>(mixer.scope) * mixer.scope;
      return (2LL * map.height - 1) * (2LL * map.width - 1);
  }
  return 0;
}

bool mixerEndsBranch(const BlockPlan& block, Family family) {
  return (family == Family::basic || family == Family::plain) && block.shortcut;
}

bool squeezesOutput(const BlockPlan& block, Family family) {
  return family == Family::bottleneck && block.options.squeezePlace == SqueezePlace::afterExpansion;
}

int squeezedChannels(int channels, int ratio) {
  return std::max(1, channels / ratio);
}

FirstConvolution firstConvolutionOf(const Stem& stem) {
  switch (stem.kind) {
    case StemKind::cifar:
    case StemKind::strided:
      return {3, stem.width};
    case StemKind::imagenet:
      return {7, stem.width};
    case StemKind::resnetD:
    case StemKind::resnetRS:
      return {3, std::max(1, stem.width / 2)};
    case StemKind::patch:
      return {stem.patchSize, stem.width};
  }
  return {};
}

NetworkPlan planOf(const Architecture& architecture) {
  NetworkPlan plan;
  plan.stemOutput = stemOutputOf(architecture);
  MapShape map = plan.stemOutput;
  for (std::size_t stage = 0; stage < architecture.stages.size(); ++stage) {
    for (std::size_t block = 0; block < architecture.stages[stage].blocks.size(); ++block) {
      plan.blocks.push_back(
          planBlock(architecture, static_cast<int>(stage), static_cast<int>(block), map));
      map = plan.blocks.back().output;
    }
  }
  plan.lastMap = map;
  plan.features = map;
  if (architecture.head.width > 0) plan.features.channels = architecture.head.width;
  return plan;
}

std::string patternOf(const Architecture& architecture) {
  std::string pattern;
  for (const Stage& stage : architecture.stages) {
    std::string letters;
    for (const Block& block : stage.blocks) letters += traitsOf(block.mixer).letter;
    const bool uniform = letters.find_first_not_of(letters.substr(0, 1)) == std::string::npos;
    if (!pattern.empty()) pattern += '-';
    pattern += uniform ? letters.substr(0, 1) : letters;
  }
  return pattern;
}

std::string patternLegend() {
  std::string legend;
  for (const MixerTraits& traits : kMixerTraits) {
    if (!legend.empty()) legend += ", ";
    legend += std::string(1, traits.letter) + " for " + std::string(traits.plural);
  }
  return legend;
}

}  // namespace lambda
