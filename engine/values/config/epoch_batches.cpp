#include "engine/values/config/epoch_batches.h"

#include <algorithm>

#include "engine/values/text/quantities.h"

namespace lambda {

namespace {

constexpr std::int64_t kFewBatches = 10;

}  // namespace

EpochBatches batchesOfEpoch(const Recipe& recipe, std::int64_t images) {
  const std::int64_t size = std::max(recipe.batchSize, 1);
  const std::int64_t whole = images / size;
  const std::int64_t left = images % size;
  const bool isKept =
      recipe.lastBatch == LastBatch::keep ||
      (recipe.lastBatch == LastBatch::automatic && whole > 0 && whole < kFewBatches);
  if (isKept && left > 1) return {whole + 1, images, 0};
  return {whole, whole * size, left};
}

std::string batchesText(const Recipe& recipe, std::int64_t images) {
  const EpochBatches epoch = batchesOfEpoch(recipe, images);
  const std::int64_t last = epoch.batches > 0 ? epoch.lastSize(recipe.batchSize) : 0;
  const bool hasPart = last > 0 && last < recipe.batchSize;
  std::string text = formatCounted(epoch.batches - (hasPart ? 1 : 0), "batch") + " of " +
                     std::to_string(recipe.batchSize);
  if (hasPart) text += " and one of " + std::to_string(last);
  text += " per epoch";
  if (epoch.unused > 0) text += ", " + formatCounted(epoch.unused, "image") + " unused";
  return text;
}

std::optional<std::int64_t> trainingImagesOf(const DataConfig& data,
                                             const std::optional<DatasetInfo>& dataset) {
  const std::optional<DatasetInfo> known = dataset ? dataset : announcedInfo(data.source);
  if (!known || !data.pseudoLabels.empty()) return std::nullopt;
  const std::int64_t all = std::max<std::int64_t>(0, known->trainCount - data.validationCount);
  if (data.labelledPerClass == 0) return all;
  return std::min(all, std::int64_t{data.labelledPerClass} * known->classes);
}

}  // namespace lambda
