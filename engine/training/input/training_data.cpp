#include "engine/training/input/training_data.h"

#include <utility>

#include "engine/training/input/run_data.h"
#include "engine/training/input/sequence_run_data.h"

namespace lambda {

BatchPart::Range BatchPart::of(std::int64_t examples) const {
  const std::int64_t first = examples * rank / ranks;
  const std::int64_t count = examples * (rank + 1) / ranks - first;
  if (count == 0) return {.first = first, .count = 1, .share = 0};
  return {first, count, static_cast<double>(count) / static_cast<double>(examples)};
}

std::unique_ptr<TrainingData> trainingDataOf(const ResolvedConfig& resolved,
                                             const NetworkInput& input,
                                             std::shared_ptr<DatasetCache> datasets) {
  if (traitsOf(resolved.config().data.source).isSequences) {
    return std::make_unique<SequenceRunData>(resolved);
  }
  return std::make_unique<RunData>(resolved, input, std::move(datasets));
}

}  // namespace lambda
