#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/values/config/run_config.h"

namespace lambda {

/// The settings of a run that can be changed while it trains. All others are fixed.
///
/// A change takes effect between two batches. From the next step on, the learning rate is that of a
/// run which had the new number of epochs from its start, at the same epoch, times the factor; and
/// the end of the running epoch keeps checkpoints by the new policy.
struct LiveSettings {
  double learningRateFactor = 1;
  int epochs = 30;
  CheckpointConfig checkpoints = {};

  bool operator==(const LiveSettings&) const = default;
};

LiveSettings liveSettingsOf(const RunConfig& config);
void setLiveSettings(RunConfig& config, const LiveSettings& settings);

/// The part of a ChangeRequest for CheckpointConfig.
struct CheckpointRequest {
  std::optional<int> everyEpochs = std::nullopt;
  std::optional<int> keepEpochs = std::nullopt;
  std::optional<bool> keepBest = std::nullopt;
  std::optional<double> everyMinutes = std::nullopt;

  bool operator==(const CheckpointRequest&) const = default;
};

/// A request to change settings of a run while it trains. What is absent stays as it is.
struct ChangeRequest {
  std::uint64_t id = 0;  ///< Chosen by the one who asks, who finds it in the answer.
  std::optional<double> learningRateFactor = std::nullopt;
  std::optional<int> epochs = std::nullopt;
  CheckpointRequest checkpoints = {};

  bool operator==(const ChangeRequest&) const = default;
};

/// Calls visit(setting, requested) for every setting and its place in a request.
template <class Settings, class Request, class Visit>
void visitRequested(Settings& settings, Request& request, Visit visit) {
  visit(settings.learningRateFactor, request.learningRateFactor);
  visit(settings.epochs, request.epochs);
  visit(settings.checkpoints.everyEpochs, request.checkpoints.everyEpochs);
  visit(settings.checkpoints.keepEpochs, request.checkpoints.keepEpochs);
  visit(settings.checkpoints.keepBest, request.checkpoints.keepBest);
  visit(settings.checkpoints.everyMinutes, request.checkpoints.everyMinutes);
}

LiveSettings settingsAfter(LiveSettings settings, const ChangeRequest& request);

/// The request that leads from one to the other.
ChangeRequest requestBetween(const LiveSettings& before, const LiveSettings& after);

/// Why a request can't be granted to a run in its epoch `runningEpoch`, counted from 1; empty if it
/// can. After the last epoch, while the test images are scored, nothing can be changed.
std::string obstacleTo(const ChangeRequest& request, const RunConfig& config, int runningEpoch);

/// A change of settings while a run trained. Its position is that of TrainingProgress.
struct RunChange {
  std::int64_t step = 0;  ///< Steps done before it.
  int epoch = 0;          ///< Epochs done before it, evaluation included.
  int batch = 0;          ///< Batches of the running epoch done before it.
  LiveSettings before = {};
  LiveSettings after = {};

  bool operator==(const RunChange&) const = default;
};

/// The most changes that a run's record keeps.
inline constexpr std::size_t kMostChanges = 1000;

/// What a change changes: "learning rate factor from 1 to 0.5, epochs from 3 to 6, best checkpoint
/// not kept (was kept)".
std::string textOf(const RunChange& change);

/// A change of the training images between two starts of a run, which was accepted.
struct DataChange {
  std::int64_t step = 0;  ///< Steps done before it.
  std::string before;     ///< DataDigest::train until then.
  std::string after;      ///< The same since then.

  bool operator==(const DataChange&) const = default;
};

/// What changed: "the training images changed after step 400: SHA-256 0123456789ab before,
/// ba9876543210 since".
std::string textOf(const DataChange& change);

/// Adds a change to a run's changes, which are in order of time. Those from `index` on are of an
/// earlier course of the run and will be repeated, but a setting of the request keeps its value in
/// all of them; one that then changes nothing is dropped. `at` has the position and the settings
/// before it. A request that changes nothing adds nothing.
void addChange(std::vector<RunChange>& changes,
               std::size_t index,
               RunChange at,
               const ChangeRequest& request);

}  // namespace lambda
