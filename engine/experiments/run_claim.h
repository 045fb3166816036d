#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace lambda {

/// The exclusive right to train one run, among the processes of this machine: a lock on the file
/// CLAIMS/NAME. The process that trains the run inherits it, and the system releases it when the
/// last process that has it ends. So the run of a killed worker is free once its training has saved
/// and ended. Machines that share a folder share its runs out beforehand (WorkerOptions::part).
class RunClaim {
 public:
  /// Claims a run; returns nothing where another process has it. Throws Error where the folder
  /// can't be written, or its file system has no locks.
  static std::optional<RunClaim> take(const std::filesystem::path& claims, const std::string& name);

  RunClaim(RunClaim&& other) noexcept;
  RunClaim& operator=(RunClaim&& other) noexcept;

  /// Releases the claim and removes its file.
  ~RunClaim();

  /// The open file, for a process to inherit.
  int descriptor() const { return descriptor_; }

 private:
  RunClaim(std::filesystem::path file, int descriptor)
      : file_(std::move(file)), descriptor_(descriptor) {}

  std::filesystem::path file_;
  int descriptor_ = -1;  ///< -1: nothing to release.
};

/// Whether any process has the claim on a run. Takes no lock, so that it is in nobody's way.
bool isClaimed(const std::filesystem::path& claims, const std::string& name);

/// Removes the file that a killed worker left of its claim, unless some process has it.
void sweepClaim(const std::filesystem::path& claims, const std::string& name);

}  // namespace lambda
