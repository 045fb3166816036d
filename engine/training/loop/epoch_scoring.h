#pragma once

#include <filesystem>
#include <functional>
#include <optional>

#include "engine/runs/observer.h"
#include "engine/training/checkpoint/training_state.h"
#include "engine/training/input/training_data.h"

namespace lambda {

/// Scores the examples of a training between its steps. Lives on the training thread.
class EpochScoring {
 public:
  /// Gets the progress before every batch; returns false to stop.
  using Proceed = std::function<bool(const EvaluationProgress& progress)>;

  /// All must outlive this.
  EpochScoring(TrainingState& state, TrainingData& data, const Recipe& recipe, Proceed proceed)
      : state_(state), data_(data), recipe_(recipe), proceed_(std::move(proceed)) {}

  /// Scores examples with the network, in which the averaged weights are meanwhile, if the run
  /// keeps them; nothing if it was stopped. Throws Error if the loss is not finite.
  std::optional<Scores> score(const Examples& examples, Split split);

  /// Scores the test examples by the weights of a checkpoint; the rest as in score().
  std::optional<Scores> scoreTest(const std::filesystem::path& checkpoint);

  /// The average that is in the network now; null = the network has its own weights.
  WeightAverage* averageInUse() const { return averageInUse_; }

 private:
  std::optional<Scores> scoreWith(NetworkImpl& network,
                                  WeightAverage* average,
                                  const Examples& examples,
                                  Split split);

  TrainingState& state_;
  TrainingData& data_;
  const Recipe& recipe_;
  Proceed proceed_;
  WeightAverage* averageInUse_ = nullptr;
};

}  // namespace lambda
