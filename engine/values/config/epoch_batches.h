#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/values/config/run_config.h"

namespace lambda {

/// How the training images of an epoch are cut into batches.
struct EpochBatches {
  std::int64_t batches = 0;
  std::int64_t used = 0;    ///< Images in these batches.
  std::int64_t unused = 0;  ///< Images left out of the epoch.

  /// Images in the last batch, from 1 to the batch size.
  std::int64_t lastSize(int batchSize) const { return used - (batches - 1) * batchSize; }

  bool operator==(const EpochBatches&) const = default;
};

/// The batches of an epoch of `images` training images, at least one whole batch. An automatic last
/// batch is kept where there are fewer than 10 whole ones: otherwise up to half of a small set
/// would be unused, while of a larger one it is less than a tenth.
EpochBatches batchesOfEpoch(const Recipe& recipe, std::int64_t images);

/// "2 batches of 128 per epoch", and of what is left over: "and one of 112", or "112 images
/// unused".
std::string batchesText(const Recipe& recipe, std::int64_t images);

/// How many images are trained on: without those for validation, and without those whose labels are
/// not used. `dataset`: the content of the data set, if it was read. Nothing where that is not
/// known, and with pseudo-labels: only the training knows how many are confident enough.
std::optional<std::int64_t> trainingImagesOf(const DataConfig& data,
                                             const std::optional<DatasetInfo>& dataset = {});

}  // namespace lambda
