#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/values/checkpoint_header.h"
#include "engine/values/run_config.h"

namespace lambda {

/// The folder of one run and the places in it (DESIGN: the way of a run). The folder is the truth;
/// any index over runs can be rebuilt from it.
class RunFolder {
 public:
  /// Creates RUNS/YYYY-MM-DD_HH-MM-SS_NAME with its subfolders, local time; a number is appended
  /// where it exists. Throws Error if it can't.
  static RunFolder create(const std::filesystem::path& runsFolder, const std::string& name);

  /// An existing run. Throws Error if the folder or its run.json is missing.
  static RunFolder open(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }

  std::string name() const { return path_.filename().string(); }

  std::filesystem::path record() const { return path_ / "run.json"; }

  std::filesystem::path metrics() const { return path_ / "metrics.jsonl"; }

  /// Scores of its checkpoints that were measured beside the run, one a line.
  std::filesystem::path evaluations() const { return path_ / "evaluations.jsonl"; }

  std::filesystem::path log() const { return path_ / "run.log"; }

  std::filesystem::path inspection() const { return path_ / "inspection"; }

  std::filesystem::path checkpoints() const { return path_ / "checkpoints"; }

  std::filesystem::path lastCheckpoint() const { return checkpoints() / "last.safetensors"; }

  std::filesystem::path bestCheckpoint() const { return checkpoints() / "best.safetensors"; }

  std::filesystem::path epochCheckpoint(int epoch) const;

  /// The checkpoints of epoch ends on disk, oldest first.
  std::vector<std::filesystem::path> epochCheckpoints() const;

  /// All checkpoints, the most advanced first: last, then epochs descending, then best.
  std::vector<std::filesystem::path> checkpointsNewestFirst() const;

  /// The checkpoint that stands for the run: the best one, else the last. Throws Error if none is.
  std::filesystem::path representativeCheckpoint() const;

 private:
  explicit RunFolder(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;
};

/// The checkpoint that a path stands for: a file stands for itself, a run folder for its
/// representative checkpoint. Throws Error where there is none.
std::filesystem::path checkpointAt(const std::filesystem::path& run);

/// Held by the one process that writes to a run. The system drops it when the process ends, however
/// it ends, so that a run marked as running without a lock was killed. flock(2) on the folder
/// excludes other processes; a record lock beside it is the mark that isHeld() reads without taking
/// a lock, so that looking never stands in the way of a process that starts. Both need no right to
/// write.
class RunLock {
 public:
  /// Throws Error if another process, or another lock of this one, holds it.
  explicit RunLock(const RunFolder& folder);
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

  /// Whether somebody holds the lock now.
  static bool isHeld(const RunFolder& folder);

 private:
  int descriptor_ = -1;
};

/// Gives a published file a second name, whole or not at all: a hard link where the file system has
/// them, else a durable copy. Throws Error.
void publishAs(const std::filesystem::path& existing, const std::filesystem::path& name);

/// Bytes that can still be written to the disk of a folder; the largest number where that is not
/// known.
std::uintmax_t freeBytesAt(const std::filesystem::path& folder);

/// Deletes the oldest epoch checkpoints beyond those that the policy keeps, and `arriving` more.
void prune(const RunFolder& folder, const CheckpointConfig& policy, int arriving = 0);

/// Gives last.safetensors the other names that the end of its epoch earns it: the best checkpoint
/// where that epoch is the best one, and the epoch's own. `at` is what last.safetensors says of
/// itself; nothing is done for one of mid-epoch. A killed or failed call is completed by the next:
/// the same names come out however often it is done. Throws Error.
void publishEpochEnd(const RunFolder& folder,
                     const CheckpointConfig& policy,
                     const TrainingProgress& at);

}  // namespace lambda
