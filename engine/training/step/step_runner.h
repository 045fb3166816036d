#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/training/step/training_step.h"
#include "engine/training/step/work_recorder.h"

namespace lambda {

/// Number of steps before one is recorded. These steps choose kernels, build the tables of the
/// layers and allocate workspaces, none of which may happen while a device records.
inline constexpr int kStepsBeforeRecord = 3;

/// Runs training steps one after the other. The first ones run operation by operation; the later
/// ones replay a recorded step, if there is a recorder and the optimiser updates on the device. The
/// results are the same to the bit. Lives on the training thread.
class StepRunner {
 public:
  /// `recorder`: null = none. `warn` is called once, with the reason, if steps can't be recorded.
  /// `team`: this rank's place among many processes, whose steps are not recorded; null = it is
  /// the only one.
  StepRunner(TrainingState& state,
             WorkRecorder* recorder,
             std::function<void(const std::string&)> warn,
             Team* team = nullptr);
  ~StepRunner();

  /// Starts the next step on a batch, as startStep().
  StartedStep start(const TensorBatch& batch, double learningRate);

  /// Starts the next step operation by operation, with a trace of its forward pass and an observer
  /// of its parts.
  StartedStep startTraced(const TensorBatch& batch,
                          double learningRate,
                          ForwardTrace& trace,
                          const PhaseObserver& ended);

  /// Counts the launches of the recorded step; none before one is recorded. Copying the batch, the
  /// learning rate and the measures comes in addition. Throws c10::Error if the device can't tell.
  std::optional<WorkCounts> recordCounts() const;

 private:
  class RecordedStep;

  void noteShape(const TensorBatch& batch);
  void record(const TensorBatch& batch);

  TrainingState& state_;
  WorkRecorder* recorder_;  // Null if there is none, and after it has failed.
  std::function<void(const std::string&)> warn_;
  Team* team_;
  std::vector<std::int64_t> shape_;         // Shape of the images of the latest batch.
  int steps_ = 0;                           // Unrecorded steps on batches of that shape.
  std::unique_ptr<RecordedStep> recorded_;  // Null until it is recorded.
};

}  // namespace lambda
