#include "engine/training/checkpoint/best_checkpoint.h"

#include "engine/runtime/error.h"
#include "engine/training/checkpoint/training_state.h"

namespace fs = std::filesystem;

namespace lambda {

std::optional<TrainingProgress> progressIn(const fs::path& checkpoint) {
  std::error_code error;
  if (!fs::exists(checkpoint, error)) return std::nullopt;
  try {
    return readVerifiedHeader(checkpoint).progress;
  } catch (const Error&) {
    return std::nullopt;
  }
}

void adoptBest(const RunFolder& folder, TrainingProgress& at) {
  at.bestValidationAccuracy.reset();
  at.bestValidationLoss.reset();
  at.bestEpoch = 0;
  const std::optional<TrainingProgress> best = progressIn(folder.bestCheckpoint());
  if (!best || best->step > at.step || !best->bestValidationAccuracy) return;
  at.bestValidationAccuracy = best->bestValidationAccuracy;
  at.bestValidationLoss = best->bestValidationLoss;
  at.bestEpoch = best->epoch;
}

}  // namespace lambda
