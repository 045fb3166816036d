#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/values/config/run_config.h"

namespace lambda {

// Parts that the families of published networks share. Used in this folder alone.

/// A published network with the function that makes it. Its `name` is set by the caller.
struct PublishedEntry {
  std::string name;
  std::string_view group;
  std::function<RunConfig()> make;
};

using PublishedList = std::vector<PublishedEntry>;

// Each function adds a family.

void addResNets(PublishedList& list);
void addResNet50Comparisons(PublishedList& list);
void addScaledNetworks(PublishedList& list);
void addMobileNets(PublishedList& list);

/// A MobileNet-v2 of any width; none if the name is not that of one.
std::optional<RunConfig> mobileNetNamed(std::string_view name);

/// The numbers of blocks of the stages c2 to c5.
using BlockCounts = std::array<int, 4>;

/// The numbers of blocks of a bottleneck network with that many layers: 26, 50, 101, 152, 200, 270,
/// 350 or 420 (He et al., 2016; LambdaNetworks, table 18).
BlockCounts bottleneckCounts(int depth);

/// Four stages with 64, 128, 256 and 512 channels; all but the first halve the map.
std::vector<Stage> residualStages(const BlockCounts& counts, const Mixer& mixer);

/// The lambda layer of the paper's experiments (appendix E.1): k = 16, h = 4, 23x23 positions.
LambdaMixer paperLambda();

/// A network for 1000 classes of square photographs with `side` pixels, read from a folder.
RunConfig photographRun(int side);

/// A network for CIFAR-10.
RunConfig cifarRun();

/// SGD over 90 epochs, the first five of them with a rising rate (LambdaNetworks, appendix E.2).
Recipe imagenetRecipe();

/// SGD over 350 epochs with less weight decay (LambdaNetworks, appendix E.2). Its RandAugment
/// is part of the run's data.
Recipe longImagenetRecipe();

}  // namespace lambda
