#pragma once

#include <string>
#include <vector>

#include "engine/values/config/run_config.h"

namespace lambda {

/// A field in which two configurations differ, with both values as JSON.
struct ConfigChange {
  std::string path;  ///< "recipe.optimizer.learningRate"
  std::string before;
  std::string after;

  bool operator==(const ConfigChange&) const = default;
};

/// All fields in which `after` differs from `before`, in the order of the JSON. A list whose length
/// differs is one change.
std::vector<ConfigChange> configChanges(const RunConfig& before, const RunConfig& after);

/// "recipe.batchSize 64 -> 32, seed 0 -> 1"
std::string toText(const std::vector<ConfigChange>& changes);

}  // namespace lambda
