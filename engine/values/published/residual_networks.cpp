#include <string>
#include <tuple>
#include <utility>

#include "engine/values/published/published_parts.h"

namespace lambda {

namespace {

/// The residual networks of He et al. (2016), with 26 layers (Wightman, 2019) and 200 (He et al.,
/// 2016b) in addition.
constexpr int kDepths[] = {18, 26, 34, 50, 101, 152, 200};

bool isBasic(int depth) {
  return depth == 18 || depth == 34;
}

std::vector<Stage> stagesOf(int depth) {
  BlockCounts counts = bottleneckCounts(depth);
  if (depth == 18) counts = {2, 2, 2, 2};
  return residualStages(counts, ConvolutionMixer{});
}

RunConfig resNet(int depth, const StemKind& stem) {
  const bool isSmall = std::holds_alternative<CifarStem>(stem);
  RunConfig config = isSmall ? cifarRun() : photographRun(224);
  Architecture& network = config.architecture;
  const std::string name = "ResNet-" + std::to_string(depth);
  if (isSmall) {
    network.name = name + " for CIFAR";
    network.description = name + " of He et al. (2016) with a 3x3 stem that keeps 32x32 pixels.";
  } else if (std::holds_alternative<ImageNetStem>(stem)) {
    network.name = name;
    network.description = name + " of He et al. (2016), with the stride in the 3x3 convolutions.";
  } else {
    network.name = name + "-D";
    network.description = name +
                          "-D of He et al. (2018): three 3x3 convolutions as the stem, and average "
                          "pooling in the shortcuts.";
  }
  network.family = isBasic(depth) ? Family::basic : Family::bottleneck;
  network.stem.kind = stem;
  network.stages = stagesOf(depth);
  return config;
}

/// A ResNet-50 on ImageNet with those mixers in its stages c2 to c5.
RunConfig resNet50(const std::string& name,
                   const std::string& description,
                   const std::array<Mixer, 4>& mixers) {
  RunConfig config = photographRun(224);
  Architecture& network = config.architecture;
  network.name = name;
  network.description = description;
  network.stem.kind = ImageNetStem{};
  network.stages = residualStages(bottleneckCounts(50), ConvolutionMixer{});
  for (std::size_t stage = 0; stage < mixers.size(); ++stage) {
    for (Block& block : network.stages[stage].blocks) block.mixer = mixers[stage];
  }
  return config;
}

RunConfig uniformResNet50(const std::string& title,
                          const std::string& layer,
                          const std::string& source,
                          const Mixer& mixer) {
  return resNet50("ResNet-50, " + title,
                  "ResNet-50 with " + layer + " in place of its 3x3 convolutions (" + source + ").",
                  {mixer, mixer, mixer, mixer});
}

/// A hybrid of table 13: a letter for each stage, c for convolutions and l for lambda layers.
RunConfig hybridResNet50(const std::string& letters) {
  std::array<Mixer, 4> mixers;
  std::string pattern;
  for (std::size_t stage = 0; stage < mixers.size(); ++stage) {
    const bool isLambda = letters[stage] == 'l';
    mixers[stage] = isLambda ? Mixer(paperLambda()) : Mixer(ConvolutionMixer{});
    pattern += pattern.empty() ? "" : "-";
    pattern += isLambda ? 'L' : 'C';
  }
  return resNet50("ResNet-50 " + pattern,
                  "A hybrid of convolutions and lambda layers with 23x23 scope (LambdaNetworks, "
                  "table 13).",
                  mixers);
}

RunConfig squeezeResNet50() {
  const ConvolutionMixer mixer;
  RunConfig config = resNet50("ResNet-50, channel attention",
                              "ResNet-50 with squeeze-and-excitation to a sixteenth of each "
                              "block's output channels (Hu et al., 2018; LambdaNetworks, table 3).",
                              {mixer, mixer, mixer, mixer});
  for (Stage& stage : config.architecture.stages) {
    for (Block& block : stage.blocks) {
      block.squeezeExcitation = true;
      block.squeezeRatio = 16;
      block.squeezePlace = SqueezePlace::afterExpansion;
    }
  }
  return config;
}

RunConfig deepLambdaResNet50() {
  LambdaMixer mixer = paperLambda();
  mixer.intraDepth = 4;
  mixer.scope = 7;
  return uniformResNet50(
      "lambda, u = 4", "lambda layers of intra-depth 4", "LambdaNetworks, table 3", mixer);
}

}  // namespace

void addResNets(PublishedList& list) {
  for (const auto& [stem, suffix, group] :
       {std::tuple(StemKind(CifarStem{}), "-cifar", "ResNet for CIFAR-10"),
        std::tuple(StemKind(ImageNetStem{}), "-imagenet", "ResNet for ImageNet"),
        std::tuple(StemKind(ResNetDStem{}), "-d", "ResNet-D for ImageNet")}) {
    for (const int depth : kDepths) {
      // Presets in files have these two.
      if (depth == 50 && !std::holds_alternative<ResNetDStem>(stem)) continue;
      list.push_back({"resnet" + std::to_string(depth) + suffix, group, [depth, stem = stem] {
                        return resNet(depth, stem);
                      }});
    }
  }
}

void addResNet50Comparisons(PublishedList& list) {
  constexpr std::string_view kGroup =
      "ResNet-50 with other layers (LambdaNetworks, tables 3 to 13)";
  const std::string prefix = "resnet50-imagenet-";
  for (const char* letters : {"lccc", "llcc", "lllc", "clll", "cccl"}) {
    list.push_back({prefix + letters, kGroup, [letters] { return hybridResNet50(letters); }});
  }
  list.push_back({prefix + "u4", kGroup, deepLambdaResNet50});
  list.push_back({prefix + "se", kGroup, squeezeResNet50});
  list.push_back(
      {prefix + "self-attention", kGroup, [] {
         return uniformResNet50(
             "self-attention", "global self-attention", "Bello et al., 2019", SelfAttentionMixer{});
       }});
  list.push_back({prefix + "local-attention", kGroup, [] {
                    return uniformResNet50("local attention",
                                           "local self-attention",
                                           "Ramachandran et al., 2019",
                                           LocalAttentionMixer{});
                  }});
  list.push_back(
      {prefix + "axial-attention", kGroup, [] {
         return uniformResNet50(
             "axial attention", "axial self-attention", "Wang et al., 2020", AxialAttentionMixer{});
       }});
  list.push_back(
      {prefix + "linear-attention", kGroup, [] {
         return uniformResNet50(
             "linear attention", "linear attention", "Shen et al., 2018", LinearAttentionMixer{});
       }});
}

}  // namespace lambda
