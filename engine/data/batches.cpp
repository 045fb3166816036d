#include "engine/data/batches.h"

#include <cstddef>
#include <numeric>
#include <string>

#include "engine/runtime/error.h"
#include "engine/runtime/random.h"

namespace lambda {

namespace {

constexpr std::uint64_t kOrderStream = 0x6F72646572;  // Separates it from other uses of the seed.

}  // namespace

BatchOrder::BatchOrder(std::uint64_t seed, std::uint32_t imageCount, std::uint32_t batchSize)
    : seed_(seed), imageCount_(imageCount), batchSize_(batchSize) {
  if (batchSize < 1 || batchSize > imageCount) {
    throw Error("recipe.batchSize",
                "cannot make batches of " + std::to_string(batchSize) + " images out of " +
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
  return std::span<const std::uint32_t>(order_).subspan(first, batchSize_);
}

}  // namespace lambda
