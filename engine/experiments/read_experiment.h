#pragma once

#include "engine/experiments/experiment_folder.h"
#include "engine/values/experiment/experiment_state.h"

namespace lambda {

/// An experiment of which no run has begun: its variants, and a waiting cell for each run. A cell's
/// folder has no name.
ExperimentState stateOfPlan(const Experiment& experiment, const ExperimentPlan& plan);

/// Reads the state of every run of an experiment, while workers may be training them, and computes
/// the results of those that are done. The values of runs that were done in `before`, an earlier
/// reading, are not read again. Reads the disk: for tasks in the background. Files that can't be
/// read become warnings. Curves are read by readCurves(), and here only where variants may end
/// early.
ExperimentState readExperiment(const ExperimentFolder& folder,
                               const ExperimentState* before = nullptr);

/// The results of `cells` for each measure of the experiment, in which variants, baseline and cells
/// are filled in.
std::vector<MeasureResult> resultsOf(const ExperimentState& state);

}  // namespace lambda
