#include "engine/training/loop/epoch_scoring.h"

#include <cmath>

#include "engine/runtime/error.h"
#include "engine/training/processes/follower.h"
#include "engine/training/run/run_writer.h"
#include "engine/training/scoring.h"

namespace lambda {

std::optional<Scores> EpochScoring::score(Split split) {
  if (team_ != nullptr) team_->order({.kind = Order::Kind::score, .split = split});
  return scoreState(split);
}

std::optional<Scores> EpochScoring::scoreTest(const std::filesystem::path& checkpoint) {
  LoadedNetwork loaded = loadNetwork(checkpoint, state_.device());
  if (team_ != nullptr) team_->order({.kind = Order::Kind::scoreTest});
  return scoreTestWith(*loaded.network);
}

void EpochScoring::follow(const Order& order) {
  if (order.kind == Order::Kind::score) {
    scoreState(order.split);
    return;
  }
  Network network(state_.network->architecture);
  network->to(state_.device());
  scoreTestWith(*network);
}

std::optional<Scores> EpochScoring::scoreState(Split split) {
  // The state is that of the scoring before.
  if (team_ != nullptr && split != Split::validation) team_->shareState();
  return scoreWith(*state_.network, state_.average.get(), split);
}

std::optional<Scores> EpochScoring::scoreTestWith(NetworkImpl& network) {
  if (team_ != nullptr) {
    std::vector<at::Tensor> tensors = network.parameters();
    for (const at::Tensor& each : network.buffers()) tensors.push_back(each);
    team_->processes().takeFromFirst(tensors);
  }
  return scoreWith(network, nullptr, Split::test);
}

const Examples& EpochScoring::examplesOf(Split split) {
  switch (split) {
    case Split::train:
      return data_.trainSample();
    case Split::validation:
      return data_.validation();
    case Split::test:
      break;
  }
  const Examples& test = data_.test();
  if (team_ != nullptr) requireSameDigests(team_->processes(), "test", test.digest());
  return test;
}

std::optional<Scores> EpochScoring::scoreWith(NetworkImpl& network,
                                              WeightAverage* average,
                                              Split split) {
  const Examples& examples = examplesOf(split);
  Processes* processes = team_ != nullptr ? &team_->processes() : nullptr;
  const std::int64_t total = examples.count();
  averageInUse_ = average;
  const AveragedWeights averaged(average);
  const std::optional<Scores> scores = evaluate(
      network,
      examples,
      [&](std::int64_t done) {
        return proceed_({split, done, total});
      },
      processes);
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
