#pragma once

#include <functional>

#include "engine/runtime/device.h"
#include "engine/values/precision_choice.h"

namespace lambda {

/// Measures a 3x3 convolution, forward and backward, in both precisions on a GPU or one core: the
/// best of some rounds in turns, in a few tenths of a second. Of a processor without instructions
/// for bfloat16 float32 alone. The calling thread goes on with the device's number of threads;
/// random generators are as before.
PrecisionRates measurePrecisions(const ComputeDevice& device);

/// Decides a precision that is left to the device. Returns the rates it was decided by, zeros where
/// there was nothing to decide. After it no step meets Precision::automatic, so that it stands at
/// every way into training and scoring; a run's record keeps what it decided.
PrecisionRates resolvePrecision(
    Recipe& recipe,
    const ComputeDevice& device,
    const std::function<PrecisionRates(const ComputeDevice&)>& measure = measurePrecisions);

}  // namespace lambda
