#pragma once

#include <string>
#include <vector>

#include "app/session/run_summary.h"

namespace lambda {

/// The run that another was forked from, as its record names it; null where it has no parent or
/// that is not in the library. A parent that was renamed since is known by its date and time, where
/// only one run has them.
const RunSummary* parentOf(const RunSummary& run, const std::vector<RunSummary>& library);

/// The runs that were forked from it, in the library's order.
std::vector<const RunSummary*> childrenOf(const RunSummary& run,
                                          const std::vector<RunSummary>& library);

}  // namespace lambda
