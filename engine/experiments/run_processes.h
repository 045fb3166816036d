#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "engine/experiments/child_process.h"
#include "engine/experiments/experiment_folder.h"
#include "engine/experiments/experiment_worker.h"
#include "engine/experiments/run_claim.h"

namespace lambda {

/// The threads of a run that has no number of its own, where `parallel` runs of each of `sharers`
/// workers share the cores.
int threadsOfRun(int parallel, int sharers = 1);

/// The processes that train the runs of an experiment: what each is asked to do, where it writes,
/// and what its log says when it fails. What writes or starts a process throws Error where it
/// can't.
class RunProcesses {
 public:
  /// Both must outlive it.
  RunProcesses(const ExperimentFolder& folder, const WorkerOptions& options)
      : folder_(folder), options_(options) {}

  /// The run of the same seed whose predictions a student learns from; nothing for other runs.
  std::optional<PlannedRun> teacherOf(const PlannedRun& run) const;

  /// Whether the run is a student whose teacher's predictions are still to be exported.
  bool needsLabels(const PlannedRun& run) const;

  /// Whether the run has a checkpoint to resume from. What a process left that was killed before
  /// its first checkpoint is removed.
  bool prepareToResume(const PlannedRun& run) const;

  /// Bytes in the run's log so far.
  std::size_t logSize(const PlannedRun& run) const;

  /// Exports the predictions of the run's teacher. The process keeps the claim on the run.
  ChildProcess label(const PlannedRun& run, const RunClaim& claim) const;

  /// Trains the run to an epoch, 0 = to its end: from its configuration, which is written, or from
  /// its last checkpoint. The process keeps the claim on the run.
  ChildProcess train(const PlannedRun& run, const RunClaim& claim, bool resumes, int epochs) const;

  /// Why a process failed: its signal, and the last lines that it wrote after `logStart` bytes of
  /// the log.
  std::string reasonOf(const PlannedRun& run, std::size_t logStart, const ProcessEnd& end) const;

 private:
  ChildProcess::Options optionsOf(const PlannedRun& run, const RunClaim& claim) const;

  /// The log of a run's processes, in a folder that exists.
  std::filesystem::path logOf(const PlannedRun& run) const;

  void writeConfiguration(const PlannedRun& run) const;

  /// The digest of the training images of another run with the same data set; empty where no run
  /// has begun.
  std::string dataOfOthers(const PlannedRun& run) const;

  const ExperimentFolder& folder_;
  const WorkerOptions& options_;
};

}  // namespace lambda
