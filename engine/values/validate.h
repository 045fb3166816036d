#pragma once

#include <optional>
#include <vector>

#include "engine/values/problem.h"
#include "engine/values/run_config.h"

namespace lambda {

/// All findings about a network, in its order. Paths begin with "architecture".
std::vector<Problem> validate(const Architecture& architecture);

/// All findings about a run, those about its network included. `dataset` is what its data set was
/// found to hold; without it the run is judged by announcedInfo(), so far as that is known.
std::vector<Problem> validate(const RunConfig& config,
                              const std::optional<DatasetInfo>& dataset = {});

}  // namespace lambda
