#pragma once

#include <filesystem>
#include <utility>
#include <vector>

#include "app/session/runs/run_summary.h"

namespace lambda {

/// A run with the checkpoints among which weights are chosen.
struct RunContent {
  RunSummary run;  ///< With a problem where the record can't be read.
  /// In the order of interest: best, last, then the epochs from the newest.
  std::vector<std::filesystem::path> checkpoints;
};

/// The checkpoints of a run; none where its folder can't be read. Reads the disk: for tasks in the
/// background.
std::vector<std::filesystem::path> checkpointsOf(const std::filesystem::path& run);

/// Reads the record and the checkpoints of a run, in the background.
RunContent readRunContent(const std::filesystem::path& run);

/// The checkpoint of a run's first epoch and that of its last one, or its only two; empty paths
/// where there are none.
std::pair<std::filesystem::path, std::filesystem::path> firstAndLastOf(
    const std::vector<std::filesystem::path>& checkpoints);

/// The file of a run's last checkpoint, which may be missing.
std::filesystem::path lastCheckpointOf(const std::filesystem::path& run);

/// Whether a path names a checkpoint, and not the folder of a run.
bool isCheckpointFile(const std::filesystem::path& path);

/// The folder of the run that a path names, or that its checkpoint belongs to.
std::filesystem::path runFolderOf(const std::filesystem::path& path);

}  // namespace lambda
