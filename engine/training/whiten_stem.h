#pragma once

#include "engine/training/checkpoint/training_state.h"
#include "engine/training/input/run_data.h"

namespace lambda {

/// Before the first step of a network with a whitened stem: its filters, from the training images
/// as evaluation sees them. Leaves other networks as they are.
void whitenStem(TrainingState& state, const RunData& data);

}  // namespace lambda
