#pragma once

#include "engine/values/config/run_config.h"

namespace lambda {

/// The learning rate as a factor of its peak, after `epoch` epochs (fractional, 0 at the first
/// batch) of a run of `epochs`. It lies in 0..1 for every time in 0..epochs.
double learningRateFactor(const ScheduleConfig& schedule, double epoch, int epochs);

/// The learning rate after `epoch` epochs of a run with this recipe, its factor included.
double learningRateAt(const Recipe& recipe, double epoch);

/// The learning rate of a step: batch `batch` of epoch `epoch`, both counted from 0. The schedule
/// is read at the middle of the step, so that neither the first nor the last step has a rate of 0.
double learningRateOfStep(const Recipe& recipe, int epoch, int batch, int batchesPerEpoch);

}  // namespace lambda
