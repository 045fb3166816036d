#pragma once

#include <cstdint>
#include <string>

#include "engine/runs/run_folder.h"
#include "engine/values/run/checkpoint_header.h"

namespace lambda {

/// Repairs a run's metrics.jsonl for the checkpoint that the run resumes from, if the file is
/// missing, is shorter than `at.metricsBytes`, or has no end of a line there. Complete lines up to
/// the checkpoint's step are kept; missing records are rebuilt from the run's TensorBoard files,
/// which do not hold training times (they become NaN). `start` is the step after which the run
/// began: that of its parent's checkpoint for a fork, else 0. The file is replaced atomically, and
/// `at.metricsBytes` is set to its new length. Returns a text for the user on what was rebuilt and
/// lost. If nothing is missing, nothing is written and the text is empty. Throws Error.
std::string repairMetrics(const RunFolder& folder, std::int64_t start, TrainingProgress& at);

}  // namespace lambda
