#pragma once

#include <memory>
#include <optional>

#include "engine/runtime/device.h"
#include "engine/runtime/tensor_memory.h"
#include "engine/training/checkpoint/training_state.h"
#include "engine/training/input/training_data.h"
#include "engine/training/step/step_runner.h"

namespace lambda {

/// The data of a dry run: that of the configuration. If image files can't be read, random
/// pixels replace them for the kinds of data set whose shape is known without the files (CIFAR).
/// Throws Error for the other kinds, and if the data does not fit the configuration.
std::unique_ptr<TrainingData> dryRunData(const ResolvedConfig& resolved);

/// A dry run: the first steps of a training, one by one, without a run folder. Lives on the
/// training thread.
class DryRun {
 public:
  /// Starts from a fresh network. `data` must outlive this.
  DryRun(const ResolvedConfig& resolved, TrainingData& data);

  TrainingState& state() { return state_; }

  /// The batch of the next step.
  TensorBatch nextBatch();

  /// The learning rate of the next step by the recipe's schedule.
  double nextLearningRate() const;

  /// Runs the next step and waits for it. With `ended` it runs operation by operation, otherwise as
  /// in a run.
  StepOutcome train(const TensorBatch& batch, const PhaseObserver& ended = {});

  StepOutcome step() { return train(nextBatch()); }

  /// Starts the next step as a run does, without waiting for a GPU.
  StartedStep start(const TensorBatch& batch);

  /// The launches of a recorded step on the GPU; none where steps are not recorded.
  std::optional<WorkCounts> recordCounts() const { return steps_.recordCounts(); }

 private:
  TensorMemoryReuse reuse_;  ///< Must outlive the tensors below.
  TrainingData& data_;
  TrainingState state_;
  StepRunner steps_;
};

}  // namespace lambda
