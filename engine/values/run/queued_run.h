#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "engine/values/config/run_config.h"

namespace lambda {

/// A run that is prepared, to be trained when those before it have ended.
struct QueuedRun {
  RunConfig config;
  std::string obstacle;    ///< Why its last start was impossible; empty = none.
  std::string begun = {};  ///< The folder in which its training is about to begin; empty = none.
  std::uint64_t id = 0;    ///< Tells equal runs of a queue apart. It is not stored.

  bool operator==(const QueuedRun&) const = default;
};

/// The most runs that a queue keeps.
inline constexpr std::size_t kMostQueuedRuns = 1000;

}  // namespace lambda
