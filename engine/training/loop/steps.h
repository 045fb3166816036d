#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "engine/runtime/error.h"
#include "engine/training/histograms/histogram_recorder.h"
#include "engine/training/input/training_data.h"
#include "engine/training/step/step_runner.h"

namespace lambda {

/// A step under way, with the values that its record needs.
struct StepUnderWay {
  StartedStep step;
  TrainingProgress before;
  std::chrono::steady_clock::time_point start;
  double dataSeconds = 0;
  double learningRate = 0;
  std::int64_t images = 0;
  std::optional<StepHistograms> histograms = std::nullopt;
};

/// The steps of a training, from batch to outcome. Writes nothing and obeys nobody. Lives on the
/// training thread.
class Steps {
 public:
  /// `recipe`: its present value is that of each step. `recorder` and `warn`: as for StepRunner.
  /// All must outlive this.
  Steps(TrainingState& state,
        TrainingData& data,
        const Recipe& recipe,
        WorkRecorder* recorder,
        std::function<void(const std::string&)> warn)
      : state_(state), data_(data), recipe_(recipe), runner_(state, recorder, std::move(warn)) {}

  /// Starts the step at the position of the state, with its histograms if they are asked for.
  StepUnderWay start(bool withHistograms);

  /// The seconds of a step that has just ended, without those in which the GPU still computed the
  /// step before.
  double secondsOf(const StepUnderWay& ended);

  /// The error of a step whose outcome is not finite: where that began. Puts the state back to the
  /// position before the step.
  Error nonFinite(const StepUnderWay& failed, const StepOutcome& outcome);

 private:
  TrainingState& state_;
  TrainingData& data_;
  const Recipe& recipe_;
  StepRunner runner_;
  std::chrono::steady_clock::time_point lastEnd_ = std::chrono::steady_clock::now();
};

}  // namespace lambda
