#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/training/checkpoint/training_state.h"
#include "engine/training/input/run_data.h"
#include "engine/training/resolved_config.h"

namespace lambda {

/// Everything that a training needs: the configuration on this machine, the images and the state.
struct PreparedRun {
  /// Prepares a new run: initialises the network and computes the filters of a whitened stem.
  /// Throws Error for a device that is missing, and for data that can't be read or does not match
  /// the network.
  static PreparedRun fresh(RunConfig config);

  ResolvedConfig resolved;
  std::unique_ptr<RunData> data;
  std::unique_ptr<TrainingState> state;
};

/// A run that continues a checkpoint under another configuration.
struct PreparedFork {
  PreparedRun run;
  std::vector<std::string> notLoaded;  ///< Checkpoint parts not loaded, one text each.
};

/// Loads a checkpoint for a fork. The fork starts at the beginning of the checkpoint's epoch,
/// because a position within an epoch has no meaning for another batch size or split. Throws Error
/// as PreparedRun::fresh(), and for a checkpoint that is damaged, has values that are not finite,
/// or has already trained for as many epochs as the configuration asks for.
PreparedFork prepareFork(const std::filesystem::path& checkpoint, RunConfig config);

}  // namespace lambda
