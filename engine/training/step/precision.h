#pragma once

#include <functional>

#include "engine/runtime/device.h"
#include "engine/values/config/precision_choice.h"

namespace lambda {

/// Measures a 3x3 convolution, forward and backward, on a GPU or on one core: the fastest of some
/// rounds that alternate between the two precisions, within a few tenths of a second. A processor
/// without bfloat16 instructions is measured in float32 only. Afterwards the calling thread uses
/// the device's number of threads; random generators are unchanged.
PrecisionRates measurePrecisions(const ComputeDevice& device);

/// The rates by which every run on this machine chooses: measured at the first call for a device
/// and a version of LibTorch, and kept in the cache folder, so that the same command gives the same
/// run.
PrecisionRates machinePrecisions(const ComputeDevice& device);

/// Replaces Precision::automatic in the recipe by the precision that is faster on the device.
/// Returns the measured rates, or zeros if the recipe already names a precision. Every path into
/// training and scoring calls this first, because no step can run with an automatic precision. A
/// run's record keeps the decision.
PrecisionRates resolvePrecision(
    Recipe& recipe,
    const ComputeDevice& device,
    const std::function<PrecisionRates(const ComputeDevice&)>& measure = machinePrecisions);

}  // namespace lambda
