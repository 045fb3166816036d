#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "engine/values/config/run_config.h"
#include "engine/values/run/checkpoint_header.h"

namespace lambda {

/// The folder of one run and the paths in it. The folder holds the whole state of a run; any index
/// of runs can be rebuilt from it.
class RunFolder {
 public:
  /// The name of a run changed so that it is a single path component: fileNamePart() without points
  /// at its start, "run" where nothing is left.
  static std::string nameFor(const std::string& run);

  /// Creates RUNS/YYYY-MM-DD_HH-MM-SS_NAME, in local time, with its subfolders; a number is
  /// appended if that exists. Throws Error if it can't be created.
  static RunFolder create(const std::filesystem::path& runsFolder, const std::string& name);

  /// Creates RUNS/NAME with its subfolders. Throws Error if it exists or can't be created.
  static RunFolder createNamed(const std::filesystem::path& runsFolder, const std::string& name);

  /// A name for createNamed() as create() gives it, which is free in RUNS now.
  static std::string freeName(const std::filesystem::path& runsFolder, const std::string& name);

  /// An existing run. Throws Error if the folder or its run.json is missing.
  static RunFolder open(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }

  std::string name() const { return path_.filename().string(); }

  std::filesystem::path record() const { return path_ / "run.json"; }

  std::filesystem::path metrics() const { return path_ / "metrics.jsonl"; }

  /// Histograms of some of its steps, one step per line.
  std::filesystem::path histograms() const { return path_ / "histograms.jsonl"; }

  /// Scores of its checkpoints that were measured outside of training, one per line.
  std::filesystem::path evaluations() const { return path_ / "evaluations.jsonl"; }

  std::filesystem::path log() const { return path_ / "run.log"; }

  std::filesystem::path inspection() const { return path_ / "inspection"; }

  /// What other processes ask of the one that trains it; see run_requests.h.
  std::filesystem::path requests() const { return path_ / "requests"; }

  std::filesystem::path checkpoints() const { return path_ / "checkpoints"; }

  std::filesystem::path lastCheckpoint() const { return checkpoints() / "last.safetensors"; }

  std::filesystem::path bestCheckpoint() const { return checkpoints() / "best.safetensors"; }

  /// The state before the first step, which a run keeps on request.
  std::filesystem::path initialCheckpoint() const { return checkpoints() / "initial.safetensors"; }

  std::filesystem::path epochCheckpoint(int epoch) const;

  /// The checkpoints of ends of epochs that are on disk, oldest first.
  std::vector<std::filesystem::path> epochCheckpoints() const;

  /// All checkpoints, the most advanced first: last, then epochs descending, then best.
  std::vector<std::filesystem::path> checkpointsNewestFirst() const;

  /// The checkpoint that represents the run: the best one, else the last. Throws Error if the run
  /// has none.
  std::filesystem::path representativeCheckpoint() const;

 private:
  explicit RunFolder(std::filesystem::path path) : path_(std::move(path)) {}

  /// Creates the folder and its subfolders; false, with or without an error, where it exists.
  bool makeFolders(std::error_code& error) const;

  std::filesystem::path path_;
};

/// The checkpoint that a path names: a file itself, or the representative checkpoint of a run
/// folder. Throws Error if there is none.
std::filesystem::path checkpointAt(const std::filesystem::path& run);

/// Throws Error for the copy of a run on another machine, which nobody but its mirror may change.
void requireNoCopy(const RunFolder& run);

/// A lock held by the one process that writes to a run. The system releases it whenever the process
/// ends, so a run that is marked as running but not locked was killed. flock(2) on the folder
/// excludes other processes. isHeld() reads a separate record lock without taking any lock, so that
/// it never blocks a process that starts. Neither lock needs write permission.
class RunLock {
 public:
  /// Throws Error if another process, or another RunLock of this process, holds the lock, and for
  /// the copy of a run on another machine, which nobody but its mirror may change.
  explicit RunLock(const RunFolder& folder);

  struct OfCopy {};

  /// The lock of a copy, for its mirror, while the run is trained where it is.
  RunLock(const RunFolder& folder, OfCopy ofCopy);
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

  /// Whether any process holds the lock.
  static bool isHeld(const RunFolder& folder);

 private:
  int descriptor_ = -1;
};

/// Gives a published file a second name atomically: as a hard link if the file system has them,
/// else as a durable copy. Throws Error.
void publishAs(const std::filesystem::path& existing, const std::filesystem::path& name);

/// Free bytes on the disk of a folder; the largest number if that is not known.
std::uintmax_t freeBytesAt(const std::filesystem::path& folder);

/// Deletes the oldest epoch checkpoints beyond those that the policy keeps, and `arriving` more to
/// make space for new ones.
void prune(const RunFolder& folder, const CheckpointConfig& policy, int arriving = 0);

/// Publishes last.safetensors under further names at the end of an epoch: as the best checkpoint if
/// that epoch is the best one, and as the checkpoint of the epoch. `at` is the progress stored in
/// last.safetensors; in mid-epoch nothing is done. The call is idempotent, so that the next call
/// completes one that was killed or failed. Throws Error.
void publishEpochEnd(const RunFolder& folder,
                     const CheckpointConfig& policy,
                     const TrainingProgress& at);

}  // namespace lambda
