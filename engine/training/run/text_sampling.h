#pragma once

#include "engine/training/checkpoint/training_state.h"
#include "engine/training/input/examples.h"
#include "engine/values/run/text_sample.h"

namespace lambda {

/// What the network that is being trained on a text writes after the beginning of the first of
/// these sequences: 200 bytes, drawn as `lambda generate` does by default. The weights are the
/// averaged ones if the run keeps them. Changes neither the training nor its random numbers. A
/// network that needs more than two seconds for it writes fewer bytes. Throws Error where an output
/// is not finite.
TextSample sampleText(TrainingState& state, const Examples& sequences);

}  // namespace lambda
