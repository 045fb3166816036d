#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "engine/runtime/error.h"
#include "engine/training/histograms/histogram_recorder.h"
#include "engine/training/input/training_data.h"
#include "engine/training/processes/team.h"
#include "engine/training/step/step_runner.h"

namespace lambda {

/// A step under way, with the values that its record needs.
struct StepUnderWay {
  StartedStep step;
  TrainingProgress before;
  std::chrono::steady_clock::time_point start;
  double dataSeconds = 0;
  double learningRate = 0;
  std::int64_t images = 0;  ///< Of the whole batch.
  std::optional<double> allReduceSeconds = std::nullopt;
  std::optional<StepHistograms> histograms = std::nullopt;
};

/// The steps of a training, from batch to outcome. Writes nothing and obeys nobody. Lives on the
/// training thread.
class Steps {
 public:
  /// `recipe`: its present value is that of each step. The rest as for StepRunner.
  /// All must outlive this.
  Steps(TrainingState& state,
        TrainingData& data,
        const Recipe& recipe,
        WorkRecorder* recorder,
        std::function<void(const std::string&)> warn,
        Team* team = nullptr)
      : state_(state),
        data_(data),
        recipe_(recipe),
        team_(team),
        runner_(state, recorder, std::move(warn), team) {}

  /// Starts the step at the position of the state, with its histograms if they are asked for. Of
  /// many processes, the others follow().
  StepUnderWay start(bool withHistograms);

  /// Takes this rank's part in a step of rank 0, and waits for it.
  void follow(const Order& order);

  /// The seconds of a step that has just ended, without those in which the GPU still computed the
  /// step before.
  double secondsOf(const StepUnderWay& ended);

  /// The error of a step whose outcome is not finite: where that began. Puts the state back to the
  /// position before the step.
  Error nonFinite(const StepUnderWay& failed, const StepOutcome& outcome);

 private:
  StepUnderWay begin(double learningRate, bool withHistograms);

  TrainingState& state_;
  TrainingData& data_;
  const Recipe& recipe_;
  Team* team_;
  StepRunner runner_;
  std::chrono::steady_clock::time_point lastEnd_ = std::chrono::steady_clock::now();
};

}  // namespace lambda
