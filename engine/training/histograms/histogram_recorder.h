#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/training/checkpoint/training_state.h"
#include "engine/training/step/step_runner.h"
#include "engine/values/run/histogram.h"

namespace lambda {

/// The histograms of a step.
struct StepHistograms {
  std::vector<LayerHistogram> layers;
  double seconds = 0;  ///< The time that they have taken.
};

/// Runs a training step that is observed from inside and returns it with its histograms: of weights
/// and outputs before the update, of gradients before clipping, and of the norms of the lambda
/// matrices in eval mode and float32, as an inspection shows them. The step computes the same bits
/// as one that is not observed. On a GPU, which counts there, only the counts are copied; the step
/// is then not replayed as a CUDA graph. Throws as startStep().
StartedStep startObservedStep(TrainingState& state,
                              StepRunner& steps,
                              const TensorBatch& batch,
                              double learningRate,
                              StepHistograms& histograms);

/// Decides in which steps before the last one histograms are recorded, from what they have cost so
/// far: the first step of a training, and later ones as long as all of them together take less than
/// kShare of the training time. Steps are at least a hundredth of the run apart, so that the
/// history of a long run stays small: a run of a million steps has about a thousand. The decision
/// depends on measured times, but a training computes the same bits whatever it is.
class HistogramSchedule {
 public:
  /// The share of the training time that histograms may take.
  static constexpr double kShare = 0.008;

  /// `seconds`: the training time of the run until now.
  explicit HistogramSchedule(double seconds) : began_(seconds) {}

  /// Whether to record the step after `step` steps and `seconds` of training.
  bool isDue(std::int64_t step, double seconds) const {
    if (last_ == kNone) return true;
    if (step - last_ < std::max<std::int64_t>(1, last_ / kStepsApart)) return false;
    return spent_ + latest_ <= kShare * (seconds - began_);
  }

  /// Tells what recording that step has cost, in seconds.
  void recorded(std::int64_t step, double cost) {
    last_ = step;
    latest_ = cost;
    spent_ += cost;
  }

  /// Seconds that all records have taken.
  double spent() const { return spent_; }

 private:
  static constexpr std::int64_t kNone = -1;
  static constexpr std::int64_t kStepsApart = 100;

  double began_;
  double spent_ = 0;
  double latest_ = 0;
  std::int64_t last_ = kNone;
};

}  // namespace lambda
