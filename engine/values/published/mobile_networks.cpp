#include <algorithm>
#include <charconv>
#include <string>

#include "engine/values/published/published_parts.h"

namespace lambda {

namespace {

constexpr std::string_view kPrefix = "mobilenet-v2-";
constexpr std::string_view kLambda = "lambda";
constexpr double kNarrowest = 0.1, kWidest = 4;

/// The blocks of Sandler et al. (2018), table 2.
struct MobileStage {
  int expansion;  ///< 0: without a 1x1 convolution before the depthwise one.
  int width;
  int blocks;
  int stride;
};

constexpr MobileStage kMobileStages[] = {{0, 16, 1, 1},
                                         {6, 24, 2, 2},
                                         {6, 32, 3, 2},
                                         {6, 64, 4, 2},
                                         {6, 96, 3, 1},
                                         {6, 160, 3, 2},
                                         {6, 320, 1, 1}};

/// The blocks with lambda layers, counted from 1 (LambdaNetworks, appendix D.3.2).
constexpr int kLambdaBlocks[] = {10, 16};

/// Channels at a width multiplier: the nearest multiple of 8 that is not less by more than 10 %.
int channelsAt(double width, int channels) {
  constexpr int kMultiple = 8;
  const double scaled = width * channels;
  const int nearest =
      std::max(kMultiple, static_cast<int>(scaled + kMultiple / 2.0) / kMultiple * kMultiple);
  return nearest < 0.9 * scaled ? nearest + kMultiple : nearest;
}

/// Keeps the channels instead of expanding them, and has a lambda convolution.
Block lightweightLambdaBlock() {
  LambdaMixer mixer = paperLambda();
  mixer.queryDepth = 32;
  mixer.scope = 5;
  Block block{mixer};
  block.expansion = 1;
  return block;
}

std::vector<Stage> mobileStages(double width, bool hasLambdas) {
  std::vector<Stage> stages;
  int number = 0;
  for (const MobileStage& each : kMobileStages) {
    Stage stage{channelsAt(width, each.width), each.stride, {}};
    for (int i = 0; i < each.blocks; ++i) {
      ++number;
      Block block{DepthwiseConvolutionMixer{}};
      block.expansion = each.expansion;
      if (hasLambdas && std::ranges::find(kLambdaBlocks, number) != std::end(kLambdaBlocks)) {
        block = lightweightLambdaBlock();
      }
      stage.blocks.push_back(block);
    }
    stages.push_back(stage);
  }
  return stages;
}

RunConfig mobileNet(double width, const std::string& widthText, bool hasLambdas) {
  RunConfig config = photographRun(224);
  config.recipe.epochs = 350;
  config.recipe.optimizer.learningRate = 0.1;
  config.recipe.optimizer.weightDecay = 1e-5;
  config.recipe.schedule.kind =
      StepSchedule{.warmupEpochs = 5, .stepEpochs = 3, .stepFactor = 0.99};
  Architecture& network = config.architecture;
  network.name = "MobileNet-v2 " + widthText + (hasLambdas ? " with lambda blocks" : "");
  network.description =
      (hasLambdas ? "MobileNet-v2 with lightweight lambda blocks in places 10 and 16 "
                    "(LambdaNetworks, table 17), at "
                  : "MobileNet-v2 (Sandler et al., 2018), at ") +
      widthText + " times the usual width. The recipe has SGD in place of RMSProp.";
  network.family = Family::invertedBottleneck;
  network.activation = Activation::relu6;
  network.zeroInitResidual = false;
  network.stem = {.kind = StridedStem{}, .width = channelsAt(width, 32)};
  network.stages = mobileStages(width, hasLambdas);
  network.head.width = channelsAt(std::max(1.0, width), 1280);
  network.head.dropout = 0.2;
  return config;
}

}  // namespace

void addMobileNets(PublishedList& list) {
  for (const char* variant : {"0.35", "0.5", "0.75", "1.0", "1.4", "lambda"}) {
    const std::string name = std::string(kPrefix) + variant;
    list.push_back({name, "MobileNet-v2 for ImageNet", [name] { return *mobileNetNamed(name); }});
  }
}

std::optional<RunConfig> mobileNetNamed(std::string_view name) {
  if (!name.starts_with(kPrefix)) return std::nullopt;
  std::string_view rest = name.substr(kPrefix.size());
  const bool hasLambdas = rest.starts_with(kLambda);
  if (hasLambdas) {
    rest.remove_prefix(kLambda.size());
    if (rest.empty()) return mobileNet(1, "1.0", true);
    if (!rest.starts_with('-')) return std::nullopt;
    rest.remove_prefix(1);
  }
  double width = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), width);
  const bool isWidth = error == std::errc() && end == rest.data() + rest.size() &&
                       width >= kNarrowest && width <= kWidest;
  if (!isWidth) return std::nullopt;
  return mobileNet(width, std::string(rest), hasLambdas);
}

}  // namespace lambda
