#include "engine/data/batches.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>

#include "engine/runtime/error.h"
#include "engine/runtime/random.h"

namespace lambda {

namespace {

constexpr std::uint64_t kOrderStream = 0x6F72646572;  // Separates it from other uses of the seed.

}  // namespace

BatchOrder::BatchOrder(std::uint64_t seed, std::uint32_t imageCount, const Recipe& recipe)
    : seed_(seed),
      imageCount_(imageCount),
      batchSize_(static_cast<std::uint32_t>(std::max(recipe.batchSize, 0))),
      epoch_(batchesOfEpoch(recipe, imageCount)) {
  if (batchSize_ < 1 || batchSize_ > imageCount) {
    throw Error("recipe.batchSize",
                "cannot make batches of " + std::to_string(recipe.batchSize) + " images out of " +
                    std::to_string(imageCount) + " training images",
                "Choose a batch size from 1 to the number of training images.");
  }
}

std::span<const std::uint32_t> BatchOrder::batch(BatchPosition position) {
  if (order_.empty() || orderedEpoch_ != position.epoch) {
    order_.resize(imageCount_);
    std::iota(order_.begin(), order_.end(), 0U);
    KeyedRandom({kOrderStream, seed_, position.epoch}).shuffle(order_);
    orderedEpoch_ = position.epoch;
  }
  const std::size_t first = static_cast<std::size_t>(position.batch) * batchSize_;
  const auto used = static_cast<std::size_t>(epoch_.used);
  return std::span<const std::uint32_t>(order_).first(used).subspan(
      first, std::min<std::size_t>(batchSize_, used - first));
}

}  // namespace lambda
