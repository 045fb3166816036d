#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/values/config/epoch_batches.h"

namespace lambda {

/// The position of training in its data, which is all that a resumed run needs to continue.
struct BatchPosition {
  std::uint64_t epoch = 0;  ///< From 0.
  std::uint32_t batch = 0;  ///< Within the epoch, from 0.

  bool operator==(const BatchPosition&) const = default;
};

/// The order of the training images. Each epoch is a permutation, a function of (seed, epoch), that
/// is cut into batches as batchesOfEpoch() says: of one size, and perhaps a smaller last one.
/// Images that are left out of an epoch are different ones in every epoch. Not thread-safe.
class BatchOrder {
 public:
  /// Throws Error unless 1 <= recipe.batchSize <= imageCount.
  BatchOrder(std::uint64_t seed, std::uint32_t imageCount, const Recipe& recipe);

  /// Batches, and images in them, of an epoch.
  const EpochBatches& epoch() const { return epoch_; }

  /// The indices of one batch, valid until the next call. position.batch is below epoch().batches.
  /// The first call of an epoch shuffles: about 1 ms for 50 000 images.
  std::span<const std::uint32_t> batch(BatchPosition position);

 private:
  std::uint64_t seed_;
  std::uint32_t imageCount_;
  std::uint32_t batchSize_;
  EpochBatches epoch_;
  std::vector<std::uint32_t> order_;
  std::uint64_t orderedEpoch_ = 0;
};

}  // namespace lambda
