#pragma once

#include "engine/values/run_config.h"

namespace lambda {

/// The learning rate as a factor of its peak, at a time of `epoch` epochs (fractional, 0 at the
/// first batch) in a run of `epochs`. In 0..1 for every time in 0..epochs.
double learningRateFactor(const ScheduleConfig& schedule, double epoch, int epochs);

}  // namespace lambda
