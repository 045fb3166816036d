#pragma once

#include <filesystem>
#include <string>

namespace lambda {

/// The folder for new runs unless --out names another.
inline constexpr char kRunsFolder[] = "runs";

/// The hint of every command that takes what findRun() finds.
inline constexpr char kRunAdvice[] = "Give a run folder, a checkpoint in one, or exported weights.";

/// A run folder or a checkpoint, given as a path or by its name below runs/. Throws Error where
/// there is none, with the nearest run, else with the advice.
std::filesystem::path findRun(const std::string& given, const std::string& advice = kRunAdvice);

/// The checkpoint that represents a run folder.
enum class CheckpointChoice {
  best,  ///< The one with the best validation accuracy; without a best one, the last.
  last,
};

/// The checkpoint for an answer of findRun(). Throws Error for a run without one.
std::filesystem::path checkpointOf(const std::filesystem::path& found, CheckpointChoice choice);

/// Throws UsageError where --out names a file of a run.
void requireNoFileOfRun(const std::filesystem::path& out);

/// A line for standard error on exported weights, which were read without a digest.
std::string unverifiedNote(const std::filesystem::path& weights);

}  // namespace lambda
