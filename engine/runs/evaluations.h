#pragma once

#include <filesystem>
#include <string>

#include "engine/runs/run_folder.h"
#include "engine/values/evaluation_record.h"
#include "engine/values/run_record.h"

namespace lambda {

/// How often the test set has been scored in a run: by the run itself, as its record says, and by
/// the evaluations beside it. Throws Error where evaluations.jsonl can't be read.
int testEvaluationsOf(const RunFolder& folder, const RunRecord& record);

/// What came of keeping an evaluation.
struct KeptEvaluation {
  int testEvaluations = 0;   ///< testEvaluationsOf() the run, this one included.
  std::string problem = {};  ///< Why it could not be kept, for people; empty where it was.
};

/// Appends an evaluation to the run that a checkpoint belongs to: the folder above its own with a
/// run.json. Name and time are filled in. One write, so that a run that is being trained, or
/// several evaluations at once, do not disturb each other. A checkpoint outside of a run has
/// nothing to append to. Never throws Error: a score is told even where it can't be kept.
KeptEvaluation keepEvaluation(const std::filesystem::path& checkpoint, EvaluationRecord record);

}  // namespace lambda
