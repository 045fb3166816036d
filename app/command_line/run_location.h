#pragma once

#include <filesystem>
#include <string>

namespace lambda {

/// Where runs are made unless --out says otherwise.
inline constexpr char kRunsFolder[] = "runs";

/// A run folder or a checkpoint, as given or by its name below runs/. Throws Error where there is
/// none, with the nearest run.
std::filesystem::path findRun(const std::string& given);

/// Which checkpoint stands for a run folder.
enum class CheckpointChoice {
  best,  ///< Of the best validation accuracy, or the last where none is best.
  last,
};

/// The checkpoint that findRun()'s answer stands for. Throws Error for a run without one.
std::filesystem::path checkpointOf(const std::filesystem::path& found, CheckpointChoice choice);

}  // namespace lambda
