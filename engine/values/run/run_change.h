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

/// A request to change settings of a run while it trains. What is absent stays as it is.
struct ChangeRequest {
  std::optional<double> learningRateFactor = std::nullopt;
  std::optional<int> epochs = std::nullopt;
  std::optional<CheckpointConfig> checkpoints = std::nullopt;

  bool operator==(const ChangeRequest&) const = default;
};

LiveSettings settingsAfter(LiveSettings settings, const ChangeRequest& request);

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

/// What a change changes: "learning rate factor from 1 to 0.5, epochs from 3 to 6".
std::string textOf(const RunChange& change);

/// Adds a change to a run's changes, which are in order of time. Those from `index` on are of an
/// earlier course of the run and will be repeated, but a setting of the request keeps its value in
/// all of them; one that then changes nothing is dropped. `at` has the position and the settings
/// before it. A request that changes nothing adds nothing.
void addChange(std::vector<RunChange>& changes,
               std::size_t index,
               RunChange at,
               const ChangeRequest& request);

}  // namespace lambda
