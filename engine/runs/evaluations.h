#pragma once

#include <filesystem>
#include <string>

#include "engine/runs/run_folder.h"
#include "engine/values/run/evaluation_record.h"
#include "engine/values/run/run_record.h"

namespace lambda {

/// How often the test set has been scored in a run: by the run itself, according to its record, and
/// by later evaluations, without those of other data. Throws Error if evaluations.jsonl can't be
/// read.
int testEvaluationsOf(const RunFolder& folder, const RunRecord& record);

/// The result of storing an evaluation.
struct KeptEvaluation {
  int testEvaluations = 0;   ///< testEvaluationsOf() the run, including this one.
  std::string problem = {};  ///< Why it could not be stored, for the user; empty if it was.
};

/// Appends an evaluation to the run that a checkpoint belongs to, the folder above the checkpoint's
/// that has a run.json. Fills in the checkpoint's name and the time. The line is written in one
/// call, so that a training run and concurrent evaluations do not disturb each other. Stores
/// nothing for a checkpoint outside of a run. Never throws Error, so that a score is reported even
/// if it can't be stored.
KeptEvaluation keepEvaluation(const std::filesystem::path& checkpoint, EvaluationRecord record);

}  // namespace lambda
