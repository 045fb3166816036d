#pragma once

#include "engine/training/checkpoint/training_state.h"
#include "engine/training/input/run_data.h"

namespace lambda {

/// Computes the filters of a whitened stem from the training images, normalised but not augmented.
/// Call it before the first step. Leaves networks without a whitened stem as they are.
void whitenStem(TrainingState& state, const RunData& data);

}  // namespace lambda
