#pragma once

#include <optional>

#include "engine/runs/observer.h"
#include "engine/runtime/run_control.h"
#include "engine/values/run_config.h"
#include "engine/values/throughput_estimate.h"

namespace lambda {

/// Enough for a median that holds within some percent on a machine that does nothing else.
inline constexpr int kEstimateSteps = 20;

/// Trains `steps` steps, after three of warm-up, and scores a few batches, without a run folder:
/// what it built is gone when it returns, and a training started afterwards gets the numbers that
/// it would have got before. Where CIFAR-10 can't be read, random pixels stand in for it.
/// The observer is told of every batch as evaluated({"estimate", done, total}).
/// None if the control asked to stop, at the latest one batch later. Throws Error for a
/// configuration or a device that can't be trained, or memory that does not suffice.
std::optional<ThroughputEstimate> estimateThroughput(const RunConfig& config,
                                                     int steps,
                                                     RunControl& control,
                                                     Observer& observer);

}  // namespace lambda
