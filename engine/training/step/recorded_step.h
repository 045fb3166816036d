#pragma once

#include <memory>

#include "engine/training/step/training_step.h"
#include "engine/training/step/work_recorder.h"
#include "engine/training/update/cuda_update.h"

namespace lambda {

/// The step of a training on a GPU, recorded once: gradients, norm, clipping, update, average. The
/// same bits as startStep(), for one call where that takes hundreds. Lives on the training thread;
/// its state outlives it and keeps its optimiser, average and parameters where they are.
class RecordedStep {
 public:
  /// Records for batches of this one's shape; trains nothing. The state's optimiser updates on the
  /// device. Throws c10::Error where the device can't record it; the state is then as before.
  RecordedStep(TrainingState& state, const TensorBatch& like, WorkRecorder& recorder);

  /// Whether batches of this one's shape are what was recorded.
  bool canReplay(const TensorBatch& batch) const;

  /// As startStep().
  StartedStep start(const TensorBatch& batch, double learningRate);

 private:
  TrainingState& state_;
  TensorBatch inputs_;  // What the record reads.
  StepMeasures measures_;
  QueuedUpdate update_;
  std::unique_ptr<RecordedWork> work_;
};

}  // namespace lambda
