#pragma once

#include <optional>
#include <vector>

#include "engine/values/config/run_config.h"
#include "engine/values/fields/problem.h"

namespace lambda {

/// All problems of a network, in network order. Paths begin with "architecture".
std::vector<Problem> validate(const Architecture& architecture);

/// The problems of a network with images of that shape and what can be learnt of them.
std::vector<Problem> problemsWithImages(const Architecture& architecture,
                                        const DatasetInfo& dataset);

/// All problems of a run, including those of its network. `dataset` describes the actual content of
/// its data set; without it the run is checked against announcedInfo(), where that is known.
std::vector<Problem> validate(const RunConfig& config,
                              const std::optional<DatasetInfo>& dataset = {});

}  // namespace lambda
