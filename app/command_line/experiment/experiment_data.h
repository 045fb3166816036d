#pragma once

#include <vector>

#include "engine/experiments/experiment_plan.h"

namespace lambda {

/// The images of the runs, before any of them begins. Throws Error where a data set is missing, and
/// InvalidConfiguration, which names the variant, where its network does not fit the images.
void requireData(const ExperimentPlan& plan, const std::vector<PlannedRun>& runs);

}  // namespace lambda
