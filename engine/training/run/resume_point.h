#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/runs/run_folder.h"
#include "engine/training/checkpoint/training_state.h"
#include "engine/values/run/resume_options.h"
#include "engine/values/run/run_record.h"

namespace lambda {

/// The point where a run resumes: the state of a checkpoint.
struct ResumePoint {
  std::unique_ptr<TrainingState> state;
  std::filesystem::path checkpoint = {};
  std::vector<std::string> warnings = {};  ///< Skipped checkpoints, accepted changes, a lost best.
  LiveSettings settings = {};              ///< Those in effect at the checkpoint.
  /// The run's changes before the checkpoint, at it, and those after it, which will be repeated.
  std::vector<RunChange> changes = {};

  /// The epochs that the run has in the end.
  int epochs() const {
    const auto made = static_cast<std::size_t>(state->progress.changes);
    return changes.size() > made ? changes.back().after.epochs : settings.epochs;
  }
};

/// Loads the newest checkpoint that is intact and finite. Completes the end of an epoch that a
/// killed run left unfinished, and makes the best checkpoint agree with the state. `record` must
/// have the options applied and the configuration of `resolved`. A setting of LiveSettings that the
/// options give, or that differs in the record from all that the run has had since the checkpoint,
/// is a change at the checkpoint; it replaces later changes of this setting. Throws Error if there
/// is no such checkpoint, if it does not belong to the record (see ResumeOptions::acceptChanges),
/// or if nothing is left to do.
ResumePoint resumePointOf(const RunFolder& folder,
                          const RunRecord& record,
                          const ResumeOptions& options,
                          const ResolvedConfig& resolved);

}  // namespace lambda
