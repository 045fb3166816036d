#pragma once

#include <optional>

#include "engine/runs/observer.h"
#include "engine/runtime/run_control.h"
#include "engine/values/config/run_config.h"
#include "engine/values/run/throughput_estimate.h"

namespace lambda {

/// Enough steps for a median within a few percent on an idle machine.
inline constexpr int kEstimateSteps = 20;

/// Measures `steps` training steps, after four steps of warm-up, and the scoring of a few batches.
/// It needs no run folder, leaves nothing behind, and does not change the results of a later
/// training. If the files of CIFAR-10 or CIFAR-100 can't be read, random pixels replace them. The
/// observer gets evaluated() before every batch, without a split. Returns nothing if the
/// control asked to stop, at the latest after one more batch. Throws Error if the configuration
/// can't be trained, its device or data are missing, or memory does not suffice.
std::optional<ThroughputEstimate> estimateThroughput(const RunConfig& config,
                                                     int steps,
                                                     RunControl& control,
                                                     Observer& observer);

}  // namespace lambda
