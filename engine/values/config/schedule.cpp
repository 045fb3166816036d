#include "engine/values/config/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace lambda {

namespace {

double between(double from, double to, double share) {
  return from + (to - from) * share;
}

}  // namespace

double learningRateFactor(const ScheduleConfig& schedule, double epoch, int epochs) {
  const double time = std::clamp(epoch, 0.0, static_cast<double>(epochs));
  if (schedule.kind == ScheduleKind::triangular) {
    const double peak = schedule.peakFraction * epochs;
    if (time < peak) return time / peak;
    return between(1, schedule.finalFactor, epochs > peak ? (time - peak) / (epochs - peak) : 0);
  }
  const double warmup = std::min(schedule.warmupEpochs, static_cast<double>(epochs));
  if (time < warmup) return time / warmup;
  const double share = epochs > warmup ? (time - warmup) / (epochs - warmup) : 0;
  switch (schedule.kind) {
    case ScheduleKind::constant:
      return 1;
    case ScheduleKind::cosine:
      return between(schedule.finalFactor, 1, (1 + std::cos(std::numbers::pi * share)) / 2);
    case ScheduleKind::linear:
      return between(1, schedule.finalFactor, share);
    case ScheduleKind::step:
      return std::pow(schedule.stepFactor, std::floor((time - warmup) / schedule.stepEpochs));
    case ScheduleKind::triangular:
      break;
  }
  return 1;
}

double learningRateAt(const Recipe& recipe, double epoch) {
  return recipe.optimizer.learningRate * learningRateFactor(recipe.schedule, epoch, recipe.epochs) *
         recipe.learningRateFactor;
}

double learningRateOfStep(const Recipe& recipe, int epoch, int batch, int batchesPerEpoch) {
  return learningRateAt(recipe, epoch + (batch + 0.5) / batchesPerEpoch);
}

}  // namespace lambda
