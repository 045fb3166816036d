#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/training/checkpoint/training_state.h"
#include "engine/training/input/run_data.h"
#include "engine/training/resolved_config.h"

namespace lambda {

/// What a run trains with: its configuration on this machine, its images and its state.
struct PreparedRun {
  /// Of a new run: the network is initialised and a whitened stem has its filters. Throws Error for
  /// data that can't be read or does not match the network.
  static PreparedRun fresh(RunConfig config);

  /// The same with images that are loaded.
  static PreparedRun fresh(ResolvedConfig resolved, std::unique_ptr<RunData> data);

  ResolvedConfig resolved;
  std::unique_ptr<RunData> data;
  std::unique_ptr<TrainingState> state;
};

/// A run that continues a checkpoint under another configuration.
struct PreparedFork {
  PreparedRun run;
  std::vector<std::string>
      notTakenOver;  ///< Parts of the checkpoint that begin anew, with reasons.
};

/// Loads a checkpoint for a fork. It begins at the start of the epoch in which the checkpoint
/// stands, since a position within an epoch has no meaning for another batch size or split. Throws
/// Error as PreparedRun::fresh(), for a damaged checkpoint, one with values that are not finite,
/// and one that has trained for as many epochs as the configuration asks for.
PreparedFork prepareFork(const std::filesystem::path& checkpoint, RunConfig config);

}  // namespace lambda
