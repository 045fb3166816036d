#pragma once

#include <memory>

#include "engine/runtime/device.h"
#include "engine/runtime/tensor_memory.h"
#include "engine/training/checkpoint/training_state.h"
#include "engine/training/input/run_data.h"
#include "engine/training/step/step_runner.h"

namespace lambda {

/// Images to measure a training with.
struct DryRunData {
  /// The configuration's training images; random pixels where the files can't be read and the kind
  /// of data set alone tells what they hold (CIFAR). Throws Error where it does not, and where the
  /// images do not fit the configuration.
  explicit DryRunData(const ResolvedConfig& resolved);

  bool areSynthetic = false;  ///< Random pixels, as many and as large as those of the data set.
  std::unique_ptr<RunData> run;
};

/// The first steps of a training, one by one, without a run folder. Lives on the training thread.
class TrainingDryRun {
 public:
  /// A fresh network. `data` outlives this.
  TrainingDryRun(const ResolvedConfig& resolved, RunData& data);

  TrainingState& state() { return state_; }

  /// The batch of the next step.
  TensorBatch nextBatch();

  /// The learning rate of the next step by the recipe's schedule.
  double nextLearningRate() const;

  /// Takes the next step: as a run does, or part by part where somebody is told of the parts.
  StepOutcome train(const TensorBatch& batch, const PhaseObserver& ended = {});

  StepOutcome step() { return train(nextBatch()); }

  /// Takes the next step as a run does, without waiting for it on a GPU.
  StartedStep start(const TensorBatch& batch);

  bool recordsSteps() const { return steps_.hasRecord(); }

 private:
  TensorMemoryReuse reuse_;  ///< Ends after the tensors below have.
  RunData& data_;
  TrainingState state_;
  StepRunner steps_;
};

}  // namespace lambda
