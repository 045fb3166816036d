#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace lambda {

/// A checkpoint on disk.
struct CheckpointFile {
  std::filesystem::path path;
  std::uint64_t bytes = 0;

  bool operator==(const CheckpointFile&) const = default;
};

/// What a run keeps on disk.
struct RunFiles {
  std::vector<CheckpointFile> checkpoints;  ///< The most advanced first, the best one last.
  std::uint64_t totalBytes = 0;             ///< Of the whole folder; linked files count once.

  bool operator==(const RunFiles&) const = default;
};

/// Lists them. What can't be read is left out.
RunFiles runFilesOf(const std::filesystem::path& run);

}  // namespace lambda
