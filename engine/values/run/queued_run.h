#pragma once

#include <string>

#include "engine/values/config/run_config.h"

namespace lambda {

/// A run that is prepared, to be trained when those before it have ended.
struct QueuedRun {
  RunConfig config;
  std::string obstacle;  ///< Why its last start was impossible; empty = none.

  bool operator==(const QueuedRun&) const = default;
};

}  // namespace lambda
