#pragma once

#include "engine/experiments/experiment_folder.h"
#include "engine/values/experiment/experiment_state.h"

namespace lambda {

/// Fills in the curves of all runs of a state that was read from this folder (readExperiment()).
/// Those of runs that are where they were in `before`, an earlier state, are not read again. Reads
/// the disk: for tasks in the background. Metrics that can't be read become warnings.
void readCurves(const ExperimentFolder& folder,
                ExperimentState& state,
                const ExperimentState* before = nullptr);

}  // namespace lambda
