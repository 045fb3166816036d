#pragma once

#include <string>

#include "engine/training/open_run.h"
#include "engine/values/metrics.h"

namespace lambda {

/// Writes what a training leaves in its run folder: checkpoints, the end of an epoch as one
/// transaction, the record and the events. Lives on the training thread.
class RunWriter {
 public:
  /// Whether a checkpoint may be left out where the disk has no space for it.
  enum class Space { checked, demanded };

  /// `run` outlives this.
  explicit RunWriter(OpenRun& run) : run_(run) {}

  /// Publishes last.safetensors. Where the disk has no space for it, throws Error if the space is
  /// demanded, else writes a warning to the events and returns false: the previous checkpoint is
  /// then as it was. Throws Error for a state that is not finite.
  bool saveCheckpoint(const std::string& why, Space space);

  /// Moves the progress to the next epoch and publishes the end of this one: its scores, the probe,
  /// and the last, best and epoch checkpoints. Returns whether the checkpoints were saved. Throws
  /// Error as saveCheckpoint().
  bool saveEpochEnd(const EpochRecord& record);

  /// Throws Error naming the first value of network, optimiser or average that is not finite.
  void requireFiniteState() const;

  /// Publishes run.json with the progress and the status.
  void saveRecord(RunStatus status, const std::string& text = {});

  /// Appends an event to the metrics.
  void note(EventKind kind, const std::string& text);

  RunResult result(RunStatus status, const std::string& text) const;

 private:
  bool hasSpace(const std::string& why, Space space);

  OpenRun& run_;
};

/// What to do about a run that met values that are not finite.
std::string lowerLearningRateHint(const Recipe& recipe);

}  // namespace lambda
