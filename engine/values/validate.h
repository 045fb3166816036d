#pragma once

#include <vector>

#include "engine/values/problem.h"
#include "engine/values/run_config.h"

namespace lambda {

/// All findings about a network, in its order. Paths begin with "architecture".
std::vector<Problem> validate(const Architecture& architecture);

/// All findings about a run, those about its network included.
std::vector<Problem> validate(const RunConfig& config);

}  // namespace lambda
