#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/data/normalization.h"
#include "engine/values/config/run_config.h"
#include "engine/values/images/labeled_images.h"

namespace lambda {

/// The seed of the built-in shapes10 data set. Its images are fixed, as those of CIFAR-10 are, so
/// that runs with different seeds are compared on the same images.
inline constexpr std::uint64_t kShapes10Seed = 10;

/// The training and validation images of a run. The test set is not part of it; see loadTest().
struct Dataset {
  LabeledImages train;
  LabeledImages validation;
  Normalization normalization;  ///< Measured on `train` only.
  std::string changes;          ///< As in TrainingImages.
};

/// Reads or draws the training images of `config.source`, and splits them with stratifiedSplit()
/// unless the data set has its own validation split. The augmentation and the use of labels in
/// `config` have no influence. Throws Error if files are missing or damaged.
Dataset loadDataset(const DataConfig& config);

/// The test images of `config.source`. They are loaded separately, so that no choice depends on
/// them: they are scored once at the end of a run, and on demand.
LabeledImages loadTest(const DataConfig& config);

/// Copies the images at `indices`, in that order. Each index must be below images.count().
LabeledImages selectImages(const LabeledImages& images, const std::vector<std::uint32_t>& indices);

}  // namespace lambda
