#pragma once

#include <string>
#include <vector>

#include "engine/runtime/processes/processes.h"
#include "engine/training/resolved_config.h"
#include "engine/values/run/run_record.h"

namespace lambda {

struct PreparedRun;

/// The configuration on this machine, for one of many processes: each has a GPU of its own, and
/// those that share cores divide them, unless the number of threads is chosen. Null = for the only
/// process. Throws Error as selectDevice() and gpuOfRank(), and where this program lacks NCCL.
ResolvedConfig resolvedFor(RunConfig config, const Processes* processes);

/// Rank 0 gives the others the training that it has prepared: configuration, position and state.
/// Returns what each rank is. Throws Error where a rank can't train it, or has other data.
std::vector<RankRecord> shareTraining(Processes& processes, PreparedRun& prepared);

/// Throws Error, naming the rank, if a rank has other examples than rank 0. `what`: of which split.
void requireSameDigests(Processes& processes, const std::string& what, const std::string& digest);

}  // namespace lambda
