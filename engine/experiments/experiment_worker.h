#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "engine/experiments/experiment_folder.h"
#include "engine/runtime/run_control.h"
#include "engine/values/experiment/experiment_state.h"
#include "engine/values/run/run_record.h"

namespace lambda {

/// One of `count` parts of an experiment's runs.
struct ExperimentPart {
  int index = 0;  ///< From 0.
  int count = 1;
};

struct WorkerOptions {
  std::filesystem::path program;  ///< The command line program, `lambda`.
  int parallel = 1;               ///< Runs at a time; they share the cores.
  int sharers = 1;                ///< Workers that a launcher has started on this host.
  ExperimentPart part = {};       ///< The runs of this worker.
  /// Whether this worker may train the run at that place of the plan, asked when it could begin;
  /// empty = all of its part. A run that it may not train is left to others for good.
  std::function<bool(std::size_t run)> mayTrain = {};
  bool retriesFailed = false;  ///< Runs that failed before are trained again.
  /// What to do if the data is no longer that of a run that is resumed, or of the other runs.
  ChangedData changedData = ChangedData::stop;
};

/// Receives the events of a worker, on the worker's thread.
class WorkerObserver {
 public:
  virtual ~WorkerObserver() = default;

  /// A run begins; `resumes`: where it was interrupted.
  virtual void started(const PlannedRun& run, bool resumes) = 0;

  /// A run has ended: done, failed, or interrupted (waiting). `text`: why it failed.
  virtual void ended(const PlannedRun& run, CellState state, const std::string& text) = 0;

  /// A sign of life, several times a second.
  virtual void waited() = 0;
};

/// Trains the runs of a part of an experiment that are not done, in their order, each in a process
/// of its own (lambda train, lambda resume), until all are done or failed, or the control asks to
/// stop: then the running ones are saved. Runs that other workers of this machine have claimed are
/// left to them, and continued where such a worker dies. A run that fails, crashes or has no memory
/// ends alone. Throws Error where the experiment's folder can't be written.
void workOn(const ExperimentFolder& folder,
            const WorkerOptions& options,
            RunControl& control,
            WorkerObserver& observer);

}  // namespace lambda
