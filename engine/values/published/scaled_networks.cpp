#include <algorithm>
#include <string>

#include "engine/values/published/published_parts.h"

namespace lambda {

namespace {

/// A network of LambdaNetworks, tables 18 to 20, and the ResNet-RS of that depth. 200, which tables
/// 19 and 20 lack, is as 152. The C4 variants have the regularisation of these networks.
struct ScaledNetwork {
  int depth;
  int side;         ///< Of its images: the largest with supervised training in table 19.
  int c4Side;       ///< Of its C4 variant: as in tables 14 to 16, the largest, else `side`.
  int lambdaEvery;  ///< Lambda layers in c4 stand at multiples of this block number,
  int lambdaLast;   ///< up to this one.
  double randAugmentMagnitude;
  double dropout;
  double stochasticDepth;
};

constexpr ScaledNetwork kScaled[] = {{50, 160, 160, 3, 3, 10, 0.2, 0},
                                     {101, 192, 224, 6, 18, 15, 0.2, 0},
                                     {152, 256, 320, 5, 30, 15, 0.3, 0.1},
                                     {200, 256, 320, 5, 30, 15, 0.3, 0.1},
                                     {270, 256, 256, 8, 48, 15, 0.3, 0.1},
                                     {350, 320, 320, 10, 60, 15, 0.3, 0.2},
                                     {420, 320, 320, 10, 80, 15, 0.3, 0.2}};

constexpr std::size_t kStageC4 = 2;

/// The convolutions of a ResNet-RS, without channel attention.
RunConfig scaledRun(const ScaledNetwork& scaled, int side) {
  RunConfig config = photographRun(side);
  config.recipe = longImagenetRecipe();
  config.data.augmentation.randAugmentOperations = 2;
  config.data.augmentation.randAugmentMagnitude = scaled.randAugmentMagnitude;
  Architecture& network = config.architecture;
  network.stem.kind = ResNetRsStem{};
  network.head.dropout = scaled.dropout;
  network.stages = residualStages(bottleneckCounts(scaled.depth), ConvolutionMixer{});
  // The rate grows with the number of the stage, c2 to c5, as in the code of ResNet-RS.
  constexpr double kLastStage = 5;
  for (std::size_t stage = 0; stage < network.stages.size(); ++stage) {
    for (Block& block : network.stages[stage].blocks) {
      block.stochasticDepth =
          scaled.stochasticDepth * (static_cast<double>(stage) + 2) / kLastStage;
    }
  }
  return config;
}

void addChannelAttention(Stage& stage) {
  for (Block& block : stage.blocks) {
    block.squeezeExcitation = true;
    block.squeezeRatio = 4;
    block.squeezePlace = SqueezePlace::afterExpansion;
  }
}

RunConfig resNetRs(const ScaledNetwork& scaled) {
  RunConfig config = scaledRun(scaled, scaled.side);
  Architecture& network = config.architecture;
  network.name = "ResNet-RS-" + std::to_string(scaled.depth);
  network.description =
      "ResNet-RS (Bello et al., 2021): a stem of four 3x3 convolutions, average pooling in the "
      "shortcuts and squeeze-and-excitation to a quarter of each block's output channels.";
  for (Stage& stage : network.stages) addChannelAttention(stage);
  return config;
}

/// Whether a block of c4 has a lambda layer; `number` counts from 1.
bool isLambdaBlock(const ScaledNetwork& scaled, std::size_t number) {
  return static_cast<int>(number) % scaled.lambdaEvery == 0 &&
         static_cast<int>(number) <= scaled.lambdaLast;
}

/// `isC4`: all blocks of c4 have lambda layers, not only those of table 18.
RunConfig lambdaResNet(const ScaledNetwork& scaled, bool isC4) {
  RunConfig config = scaledRun(scaled, isC4 ? scaled.c4Side : scaled.side);
  Architecture& network = config.architecture;
  network.name = "LambdaResNet-" + std::to_string(scaled.depth) + (isC4 ? "-C4" : "");
  network.description =
      (isC4 ? "ResNet-RS with lambda layers in all blocks of c4 and c5"
            : "ResNet-RS with lambda layers in some blocks of c4 and all of c5") +
      std::string(
          " (LambdaNetworks, table 18). Channel attention in c2 and c3 alone: so the parameters "
          "are those of its tables 5 and 15.");
  for (std::size_t stage = 0; stage < kStageC4; ++stage) addChannelAttention(network.stages[stage]);
  std::vector<Block>& c4 = network.stages[kStageC4].blocks;
  for (std::size_t i = 0; i < c4.size(); ++i) {
    if (isC4 || isLambdaBlock(scaled, i + 1)) c4[i].mixer = paperLambda();
  }
  for (Block& block : network.stages.back().blocks) block.mixer = paperLambda();
  return config;
}

}  // namespace

void addScaledNetworks(PublishedList& list) {
  for (const ScaledNetwork& scaled : kScaled) {
    list.push_back({"resnet-rs-" + std::to_string(scaled.depth),
                    "ResNet-RS for ImageNet",
                    [scaled] { return resNetRs(scaled); }});
  }
  for (const bool isC4 : {false, true}) {
    for (const ScaledNetwork& scaled : kScaled) {
      list.push_back({"lambda-resnet-" + std::to_string(scaled.depth) + (isC4 ? "-c4" : ""),
                      isC4 ? "LambdaResNet-C4 for ImageNet" : "LambdaResNet for ImageNet",
                      [scaled, isC4] { return lambdaResNet(scaled, isC4); }});
    }
  }
}

}  // namespace lambda
