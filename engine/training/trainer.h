#pragma once

#include <filesystem>
#include <optional>

#include "engine/runs/observer.h"
#include "engine/runtime/run_control.h"
#include "engine/values/metrics.h"
#include "engine/values/run_config.h"

namespace lambda {

// The ways to train. Each call blocks until the run ends, on the thread that owns all tensors;
// other threads steer it through the control. Failures while training (a NaN, no memory, a full
// disk) are results of status `failed`; what makes a start impossible (a bad configuration, missing
// data, a folder that can't be written or that another process trains in) throws Error before the
// first batch.

/// Throws Error, with all findings, for a configuration that can't be trained.
void requireTrainable(const RunConfig& config);

/// Trains a new run in a new folder below `runsFolder`, which is created.
RunResult trainRun(const RunConfig& config,
                   const std::filesystem::path& runsFolder,
                   RunControl& control,
                   Observer& observer);

struct ResumeOptions {
  /// Train until this many epochs in all, for a run that is finished; none = as configured.
  std::optional<int> epochs = std::nullopt;
  /// Device and threads of this machine instead of the recorded ones. Other threads, other bits.
  std::optional<DeviceConfig> device = std::nullopt;
  /// Where the data lies now; none = as recorded.
  std::optional<std::string> data = std::nullopt;
  /// Resume also where run.json has been changed since the checkpoint, or the checkpoint is of
  /// another run: with the settings of run.json and the state of the checkpoint.
  bool acceptChanges = false;
};

/// Continues a run from its last checkpoint, or, where that is damaged, from the newest one that is
/// whole. Throws Error where run.json says otherwise than the checkpoint about what decides the
/// numbers, unless that is accepted, and for fewer epochs than are done. With the same device and
/// thread count the bits are those of a run never interrupted.
RunResult resumeRun(const std::filesystem::path& run,
                    const ResumeOptions& options,
                    RunControl& control,
                    Observer& observer);

/// Starts a new run from a checkpoint of another with changed settings. The architecture must have
/// the same parameters. The optimiser's state comes along where its kind is the same.
RunResult forkRun(const std::filesystem::path& checkpoint,
                  const RunConfig& config,
                  const std::filesystem::path& runsFolder,
                  RunControl& control,
                  Observer& observer);

}  // namespace lambda
