#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/runs/run_folder.h"
#include "engine/training/checkpoint/training_state.h"
#include "engine/training/trainer.h"
#include "engine/values/run_record.h"

namespace lambda {

/// Where a run resumes: the state of a checkpoint, with the run's files in agreement with it.
struct ResumePoint {
  std::unique_ptr<TrainingState> state;
  std::filesystem::path checkpoint = {};
  std::vector<std::string> warnings = {};  ///< What was passed over, completed or accepted.
};

/// The newest checkpoint that is whole and finite. Completes what a killed run began at an epoch's
/// end, and brings the best checkpoint in agreement with the state. `record` has the options
/// applied and the configuration of `resolved`. Throws Error where there is no such checkpoint,
/// where it does not belong to the record (see ResumeOptions::acceptChanges), and where nothing is
/// left to do.
ResumePoint resumePointOf(const RunFolder& folder,
                          const RunRecord& record,
                          const ResumeOptions& options,
                          const ResolvedConfig& resolved);

}  // namespace lambda
