#pragma once

#include <optional>
#include <string>

#include "engine/values/config/run_config.h"
#include "engine/values/run/metrics.h"

namespace lambda {

/// How a run is continued.
struct ResumeOptions {
  /// Number of epochs in all, to continue a finished run; none = as configured.
  std::optional<int> epochs = std::nullopt;
  /// Device and threads instead of the recorded ones. Another number of threads gives other bits.
  std::optional<DeviceConfig> device = std::nullopt;
  /// Path of the data; none = as recorded.
  std::optional<std::string> data = std::nullopt;
  /// Resume even if run.json has been changed since the checkpoint, or the checkpoint is of another
  /// run, with the settings of run.json and the state of the checkpoint.
  bool acceptChanges = false;
  /// What to do if the training images are no longer those of the run.
  ChangedData changedData = ChangedData::stop;
};

}  // namespace lambda
