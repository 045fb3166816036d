#pragma once

#include <cstdint>
#include <vector>

#include "engine/data/normalization.h"
#include "engine/values/labeled_images.h"
#include "engine/values/run_config.h"

namespace lambda {

/// The seed of the built-in shapes10 set: it is one fixed set, as CIFAR-10 is, so that runs with
/// different seeds are compared on the same images.
inline constexpr std::uint64_t kShapes10Seed = 10;

/// What a run trains on and chooses by. The test set is no part of it, see loadTest().
struct Dataset {
  LabeledImages train;
  LabeledImages validation;
  Normalization normalization;  ///< Of `train` alone.
};

/// Reads or draws the training images of `config.source` and splits them, see stratifiedSplit().
/// The augmentation in `config` has no influence. Throws Error for what is missing or damaged.
Dataset loadDataset(const DataConfig& config);

/// The test images of `config.source`, apart so that nothing is chosen by them: they are scored
/// once at the end of a run, and on demand.
LabeledImages loadTest(const DataConfig& config);

/// Copies the chosen images, in the order of `indices`. Each index is below images.count().
LabeledImages selectImages(const LabeledImages& images, const std::vector<std::uint32_t>& indices);

}  // namespace lambda
