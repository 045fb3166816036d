#pragma once

#include "engine/training/run_data.h"
#include "engine/training/training_state.h"

namespace lambda {

/// Before the first step of a network with a whitened stem: its filters, from the training images
/// as evaluation sees them. Leaves other networks as they are.
void whitenStem(TrainingState& state, const RunData& data);

}  // namespace lambda
