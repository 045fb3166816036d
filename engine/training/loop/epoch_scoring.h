#pragma once

#include <filesystem>
#include <functional>
#include <optional>

#include "engine/runs/observer.h"
#include "engine/training/checkpoint/training_state.h"
#include "engine/training/input/training_data.h"
#include "engine/training/processes/team.h"

namespace lambda {

/// Scores the examples of a training between its steps. Lives on the training thread.
class EpochScoring {
 public:
  /// Gets the progress before every batch; returns false to stop.
  using Proceed = std::function<bool(const EvaluationProgress& progress)>;

  /// All must outlive this. `team`: this rank's place among many processes; null = it is the only
  /// one.
  EpochScoring(TrainingState& state,
               TrainingData& data,
               const Recipe& recipe,
               Proceed proceed,
               Team* team = nullptr)
      : state_(state), data_(data), recipe_(recipe), proceed_(std::move(proceed)), team_(team) {}

  /// Scores examples of a split, of training a sample, with the network, in which the averaged
  /// weights are meanwhile, if the run keeps them; nothing if it was stopped. Of many processes,
  /// the others follow(). Throws Error if the loss is not finite.
  std::optional<Scores> score(Split split);

  /// Scores the test examples by the weights of a checkpoint; the rest as in score().
  std::optional<Scores> scoreTest(const std::filesystem::path& checkpoint);

  /// Takes this rank's part in a scoring of rank 0.
  void follow(const Order& order);

  /// The average that is in the network now; null = the network has its own weights.
  WeightAverage* averageInUse() const { return averageInUse_; }

 private:
  std::optional<Scores> scoreWith(NetworkImpl& network, WeightAverage* average, Split split);

  /// Scores with the network of the state.
  std::optional<Scores> scoreState(Split split);

  /// Scores the test examples with a network of rank 0.
  std::optional<Scores> scoreTestWith(NetworkImpl& network);

  const Examples& examplesOf(Split split);

  TrainingState& state_;
  TrainingData& data_;
  const Recipe& recipe_;
  Proceed proceed_;
  Team* team_;
  WeightAverage* averageInUse_ = nullptr;
};

}  // namespace lambda
