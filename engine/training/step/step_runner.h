#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/training/step/recorded_step.h"

namespace lambda {

/// As many steps are taken before one is recorded: in them kernels are chosen, tables of the layers
/// made and workspaces fetched, none of which may happen while a device records.
inline constexpr int kStepsBeforeRecord = 3;

/// Takes one step after the other: the first ones as they are written, and from then on, where
/// there is a recorder and the optimiser steps on the device, a record of one. What is computed is
/// the same to the bit. Lives on the training thread.
class StepRunner {
 public:
  /// `recorder`: null = none. `warn` is told, once, why steps can't be recorded.
  StepRunner(TrainingState& state,
             WorkRecorder* recorder,
             std::function<void(const std::string&)> warn);

  /// As startStep().
  StartedStep start(const TensorBatch& batch, double learningRate);

  /// Whether steps are replayed.
  bool hasRecord() const { return recorded_ != nullptr; }

 private:
  void record(const TensorBatch& batch);

  TrainingState& state_;
  WorkRecorder* recorder_;  // Null once it has failed.
  std::function<void(const std::string&)> warn_;
  std::vector<std::int64_t> shape_;         // Of the batches of the latest steps.
  int steps_ = 0;                           // Without a record, of batches of that shape.
  std::unique_ptr<RecordedStep> recorded_;  // Null until it is recorded.
};

}  // namespace lambda
