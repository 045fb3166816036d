#pragma once

#include "engine/values/run_config.h"

namespace lambda {

/// The learning rate as a factor of its peak, at a time of `epoch` epochs (fractional, 0 at the
/// first batch) in a run of `epochs`. In 0..1 for every time in 0..epochs.
double learningRateFactor(const ScheduleConfig& schedule, double epoch, int epochs);

/// The learning rate at that time of a run by `recipe`.
double learningRateAt(const Recipe& recipe, double epoch);

/// The learning rate of a step: batch `batch` of epoch `epoch`, both counted from 0. It is that of
/// the middle of the step, so that neither the first nor the last one is wasted on a rate of 0.
double learningRateOfStep(const Recipe& recipe, int epoch, int batch, int batchesPerEpoch);

}  // namespace lambda
