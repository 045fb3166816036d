#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "engine/training/checkpoint/training_state.h"
#include "engine/training/input/training_data.h"
#include "engine/training/resolved_config.h"

namespace lambda {

/// Everything that a training needs: the configuration on this machine, the images and the state.
struct PreparedRun {
  /// Prepares a new run, of many processes for rank 0: initialises the network, computes the
  /// filters of a whitened stem, and takes the weights that the configuration starts from, whose
  /// digest it then has. Throws Error for a device that is missing, for weights that can't be read,
  /// have another digest or do not fit, and for data that can't be read or does not match the
  /// network.
  static PreparedRun fresh(RunConfig config, const Processes* processes = nullptr);

  /// Loads a checkpoint that continues under another configuration. The fork starts at the
  /// beginning of the checkpoint's epoch, because a position within an epoch has no meaning for
  /// another batch size or split. Throws Error as fresh(), and for a checkpoint that is damaged,
  /// has values that are not finite, or has already trained for as many epochs as the configuration
  /// asks for.
  static PreparedRun forked(const std::filesystem::path& checkpoint, RunConfig config);

  ResolvedConfig resolved;
  std::unique_ptr<TrainingData> data;
  std::unique_ptr<TrainingState> state;
  /// The end of an event text: what became of the weights, and which parts were not loaded.
  std::string startText = {};
};

}  // namespace lambda
