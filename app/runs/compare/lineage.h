#pragma once

#include <string>
#include <vector>

#include "app/session/runs/run_summary.h"

namespace lambda {

/// The run that another was forked or duplicated from, according to its record; null where it has
/// no parent or the library lacks it. A parent that was renamed since is found by its date and
/// time, if only one run has them.
const RunSummary* parentOf(const RunSummary& run, const std::vector<RunSummary>& library);

/// The runs that were forked or duplicated from it, in the library's order.
std::vector<const RunSummary*> childrenOf(const RunSummary& run,
                                          const std::vector<RunSummary>& library);

}  // namespace lambda
