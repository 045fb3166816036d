#pragma once

#include <QString>

#include "engine/values/experiment/experiment_state.h"

namespace lambda {

/// Epochs of all runs of an experiment.
struct EpochCount {
  int done = 0;
  int all = 0;
};

EpochCount epochsOf(const ExperimentState& state);

/// "6 of 9 runs done, 1 failed".
QString runsText(const ExperimentState& state);

/// The same with the training time that remains, by that of the epochs that are done.
QString progressText(const ExperimentState& state);

/// Why runs failed, a line for each of the first; empty where none did.
QString failuresText(const ExperimentState& state);

}  // namespace lambda
