#include "engine/training/loop/epoch_scoring.h"

#include <cmath>

#include "engine/runtime/error.h"
#include "engine/training/run/run_writer.h"
#include "engine/training/scoring.h"

namespace lambda {

std::optional<Scores> EpochScoring::score(const Examples& examples, Split split) {
  return scoreWith(*state_.network, state_.average.get(), examples, split);
}

std::optional<Scores> EpochScoring::scoreTest(const std::filesystem::path& checkpoint) {
  LoadedNetwork loaded = loadNetwork(checkpoint, state_.device());
  return scoreWith(*loaded.network, nullptr, data_.test(), Split::test);
}

std::optional<Scores> EpochScoring::scoreWith(NetworkImpl& network,
                                              WeightAverage* average,
                                              const Examples& examples,
                                              Split split) {
  const std::int64_t total = examples.count();
  averageInUse_ = average;
  const AveragedWeights averaged(average);
  const std::optional<Scores> scores = evaluate(network, examples, [&](std::int64_t done) {
    return proceed_({split, done, total});
  });
  averageInUse_ = nullptr;
  if (scores && !std::isfinite(scores->loss)) {
    throw Error("step " + std::to_string(state_.progress.step),
                "the loss on the " + std::string(nameOf(split)) + " " +
                    traitsOf(network.architecture.task).examples + " is not finite",
                lowerLearningRateHint(recipe_));
  }
  return scores;
}

}  // namespace lambda
