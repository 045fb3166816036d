#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace lambda {

/// A process as other processes find it.
struct ProcessIdentity {
  std::string host;  ///< Name of the machine.
  std::string boot;  ///< Identifier of its start, with that of its process namespace.
  std::int64_t pid = 0;
  std::int64_t started = 0;  ///< Start time of the process in clock ticks since the boot.

  bool operator==(const ProcessIdentity&) const = default;
};

ProcessIdentity currentProcess();

/// How long a claim of another machine holds without a sign of life.
inline constexpr std::chrono::seconds kClaimLease{120};

/// The exclusive right of one worker to train one run. Claims on a run are numbered files
/// CLAIMS/NAME.1, NAME.2, ...; the greatest number is the valid one. A worker takes over a claim
/// whose owner is dead by creating the next number. Creation is exclusive (a hard link to a
/// complete file), so that of several workers one succeeds, also on a shared file system without
/// locks.
class RunClaim {
 public:
  /// Claims a run. Returns nothing where a living worker has it. An owner on this machine lives as
  /// long as its process; one on another machine, as long as it renewed its claim within `lease`,
  /// by the clock of the file system. Throws Error where the folder can't be written.
  static std::optional<RunClaim> take(const std::filesystem::path& claims,
                                      const std::string& name,
                                      const ProcessIdentity& owner = currentProcess(),
                                      std::chrono::seconds lease = kClaimLease);

  RunClaim(RunClaim&& other) noexcept;
  RunClaim& operator=(RunClaim&& other) noexcept;

  /// Releases the claim, unless another worker has taken it over.
  ~RunClaim();

  /// A sign of life for workers on other machines. Returns false where one of them has taken the
  /// claim over: then this worker must stop.
  bool renew();

  /// The file of the claim.
  const std::filesystem::path& file() const { return file_; }

  /// Whether the worker that had the claim before died. Its training may still be about to end.
  bool isTakenOver() const { return number_ > 1; }

  /// Leaves the file when the object is destroyed, as a killed process does.
  void abandon() { file_.clear(); }

 private:
  RunClaim(std::filesystem::path claims, std::string name, int number);

  std::filesystem::path claims_;
  std::string name_;
  int number_ = 0;
  std::filesystem::path file_;  // Empty: nothing to release.
};

/// Removes what killed workers left of their claims on a run, unless a living worker has it.
void sweepClaims(const std::filesystem::path& claims, const std::string& name);

/// Removes what workers left in the folder that were killed while they made a claim.
void sweepUnfinishedClaims(const std::filesystem::path& claims,
                           std::chrono::seconds lease = kClaimLease);

/// The owner of the valid claim on a run if it lives; nothing where a worker may take it.
std::optional<ProcessIdentity> livingOwnerOf(const std::filesystem::path& claims,
                                             const std::string& name,
                                             std::chrono::seconds lease = kClaimLease);

}  // namespace lambda
