#pragma once

#include <cstdint>
#include <string>

#include "engine/runs/run_folder.h"
#include "engine/values/checkpoint_header.h"

namespace lambda {

/// Makes a run's metrics.jsonl fit the checkpoint that it resumes from, where the file is missing
/// or shorter than the checkpoint knew it, or has no line's end there. Its whole lines stay, as far
/// as they are not later than the checkpoint; what lies between them and it is rebuilt from the
/// run's TensorBoard files, which do not hold training times (they become NaN). `start` is the step
/// after which the run began: that of its parent's checkpoint for a fork, else 0. The file is
/// published whole, and `at.metricsBytes` is its new length. Returns what was rebuilt and what is
/// lost, for people; nothing is written, and the text is empty, where nothing is missing. Throws
/// Error.
std::string repairMetrics(const RunFolder& folder, std::int64_t start, TrainingProgress& at);

}  // namespace lambda
