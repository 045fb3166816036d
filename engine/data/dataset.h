#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/data/normalization.h"
#include "engine/values/config/run_config.h"
#include "engine/values/images/labeled_images.h"
#include "engine/values/run/metrics.h"
#include "engine/values/run/network_input.h"

namespace lambda {

/// The seed of the built-in shapes10 data set. Its images are fixed, as those of CIFAR-10 are, so
/// that runs with different seeds are compared on the same images.
inline constexpr std::uint64_t kShapes10Seed = 10;

/// The training and validation images of a run. The test set is not part of it; see loadTest().
struct Dataset {
  LabeledImages train;
  LabeledImages validation;
  Normalization normalization;       ///< Measured on `train` only.
  std::vector<NumberScale> numbers;  ///< Likewise; empty where images have classes.
  std::string changes;               ///< As in TrainingImages.
  std::string sha256;                ///< Of all images, whatever the split; empty: not computed.
};

/// Reads or draws the training images of `config.source`, and splits them with stratifiedSplit()
/// unless the data set has its own validation split. The augmentation and the use of labels in
/// `config` have no influence. Throws Error if files are missing or damaged.
Dataset loadDataset(const DataConfig& config);

/// The settings for a data set that may be another than the one they were made for: where it has
/// too few images for so many validation images, or not the validation split that is asked for, it
/// has no validation images. Throws Error as probeDataset().
DataConfig withFittingSplit(DataConfig config);

/// The test images of `config.source`. They are loaded separately, so that no choice depends on
/// them: they are scored once at the end of a run, and on demand. A validation split is not needed.
LabeledImages loadTest(const DataConfig& config);

/// Copies the images at `indices`, in that order. Each index must be below images.count().
LabeledImages selectImages(const LabeledImages& images, const std::vector<std::uint32_t>& indices);

/// SHA-256 of images, labels and names of the classes, in their order, as 64 hexadecimal digits: it
/// tells whether two data sets are the same, wherever and however they are stored. The pixels are
/// read on all cores, at several GB/s on a usual machine.
std::string digestOf(const LabeledImages& images);

/// The most frequent class, the first of several; nothing where there are no images.
std::optional<MajorityClass> majorityOf(const LabeledImages& images);

/// What a network that is trained on the data needs to know of it.
NetworkInput inputOf(const Dataset& dataset);

/// Whether the outputs of a network mean what the images have, in the same order.
bool fits(const LabeledImages& images, const NetworkInput& input);

/// Gives images the classes of a network: they keep their labels by name, whatever the order of the
/// names. No names: nothing is changed. Throws Error, with both lists, unless the names are the
/// same, or the names of the numbers are those of the network in its order. `place`: of the images,
/// for the message.
void matchLabels(LabeledImages& images, const NetworkInput& input, const std::string& place);

}  // namespace lambda
