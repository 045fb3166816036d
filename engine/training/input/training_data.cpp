#include "engine/training/input/training_data.h"

#include <utility>

#include "engine/training/input/run_data.h"
#include "engine/training/input/sequence_run_data.h"

namespace lambda {

std::unique_ptr<TrainingData> trainingDataOf(const ResolvedConfig& resolved,
                                             const NetworkInput& input,
                                             std::shared_ptr<DatasetCache> datasets) {
  if (traitsOf(resolved.config().data.source).isSequences) {
    return std::make_unique<SequenceRunData>(resolved);
  }
  return std::make_unique<RunData>(resolved, input, std::move(datasets));
}

}  // namespace lambda
