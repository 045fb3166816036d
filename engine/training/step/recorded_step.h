#pragma once

#include <memory>

#include "engine/training/step/training_step.h"
#include "engine/training/step/work_recorder.h"
#include "engine/training/update/backends/cuda_update.h"

namespace lambda {

/// A whole training step on a GPU, recorded once and then replayed: gradients, norm, clipping,
/// update, average. It gives the same bits as startStep(), with one call instead of hundreds. Lives
/// on the training thread. The state must outlive it and must not move its optimiser, average or
/// parameters in memory.
class RecordedStep {
 public:
  /// Records a step for batches of the shape of `like`, mixed if it is, without training. The
  /// state's optimiser must update on the device. Throws c10::Error if the device can't record the
  /// step; the state is then unchanged.
  RecordedStep(TrainingState& state, const TensorBatch& like, WorkRecorder& recorder);

  /// Whether the step was recorded for batches of this shape and type, mixed or not.
  bool canReplay(const TensorBatch& batch) const;

  /// Starts the recorded step on a batch, as startStep().
  StartedStep start(const TensorBatch& batch, double learningRate);

  /// Counts the launches of the recorded step. Copying the batch, the learning rate and the
  /// measures comes in addition. Throws c10::Error if the device can't tell.
  WorkCounts counts() const { return work_->counts(); }

 private:
  TrainingState& state_;
  TensorBatch inputs_;  // The memory that the recorded step reads its batch from.
  StepMeasures measures_;
  QueuedUpdate update_;
  std::unique_ptr<RecordedWork> work_;
};

}  // namespace lambda
