#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace lambda {

/// A checkpoint on disk.
struct CheckpointFile {
  std::filesystem::path path;
  std::uint64_t bytes = 0;
  std::optional<int> epochsDone;  ///< Nothing where neither its name nor its header tells.

  bool operator==(const CheckpointFile&) const = default;
};

/// The files that a run keeps on disk.
struct RunFiles {
  std::vector<CheckpointFile> checkpoints;  ///< In descending order of progress, the best one last.
  std::uint64_t totalBytes = 0;             ///< Size of the whole folder; linked files count once.

  bool operator==(const RunFiles&) const = default;
};

/// Lists the files. Those that can't be read are left out.
RunFiles runFilesOf(const std::filesystem::path& run);

}  // namespace lambda
