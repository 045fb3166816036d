#include "engine/values/config/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/values/config/run_config.h"

namespace lambda {

namespace {

double between(double from, double to, double share) {
  return from + (to - from) * share;
}

// The factor at a time after the warm-up, in epochs, of `epochs` that follow it.

double factorAfter(const ConstantSchedule&, double, double) {
  return 1;
}

double factorAfter(const CosineSchedule& schedule, double time, double epochs) {
  const double share = epochs > 0 ? time / epochs : 0;
  return between(schedule.finalFactor, 1, (1 + std::cos(std::numbers::pi * share)) / 2);
}

double factorAfter(const LinearSchedule& schedule, double time, double epochs) {
  return between(1, schedule.finalFactor, epochs > 0 ? time / epochs : 0);
}

double factorAfter(const TriangularSchedule& schedule, double time, double epochs) {
  const double peak = schedule.peakFraction * epochs;
  if (time < peak) return time / peak;
  return between(1, schedule.finalFactor, epochs > peak ? (time - peak) / (epochs - peak) : 0);
}

double factorAfter(const StepSchedule& schedule, double time, double) {
  return std::pow(schedule.stepFactor, std::floor(time / schedule.stepEpochs));
}

}  // namespace

double learningRateFactor(const ScheduleConfig& schedule, double epoch, int epochs) {
  const double time = std::clamp(epoch, 0.0, static_cast<double>(epochs));
  return std::visit(
      [&](const auto& options) {
        if constexpr (requires { options.warmupEpochs; }) {
          const double warmup = std::min(options.warmupEpochs, static_cast<double>(epochs));
          if (time < warmup) return time / warmup;
          return factorAfter(options, time - warmup, epochs - warmup);
        } else {
          return factorAfter(options, time, epochs);
        }
      },
      schedule.kind);
}

double batchSizeFactor(const Recipe& recipe) {
  const double larger = static_cast<double>(recipe.batchSize) / recipe.rateBatchSize;
  switch (recipe.rateScaling) {
    case RateScaling::linear:
      return larger;
    case RateScaling::squareRoot:
      return std::sqrt(larger);
    case RateScaling::none:
      break;
  }
  return 1;
}

double learningRateAt(const Recipe& recipe, double epoch) {
  return recipe.optimizer.learningRate * learningRateFactor(recipe.schedule, epoch, recipe.epochs) *
         recipe.learningRateFactor * batchSizeFactor(recipe);
}

double learningRateOfStep(const Recipe& recipe, int epoch, int batch, int batchesPerEpoch) {
  return learningRateAt(recipe, epoch + (batch + 0.5) / batchesPerEpoch);
}

}  // namespace lambda
