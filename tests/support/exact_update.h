#pragma once

#include <cmath>

#include "engine/kernels/update/weight_update_kernel.h"

namespace lambda::test {

inline bool isAdaptive(UpdateRule rule) {
  return rule == UpdateRule::adam || rule == UpdateRule::adamw;
}

/// The formulas of an update for one weight, in double; `step` from 1.
inline void updateExactly(const UpdateRates& rates,
                          double gradient,
                          double rateFactor,
                          double decay,
                          int step,
                          double& w,
                          double& firstMoment,
                          double& secondMoment) {
  const double rate = rates.learningRate * rateFactor;
  double g = gradient * rates.gradientScale;
  if (rates.rule == UpdateRule::adamw || rates.rule == UpdateRule::lion) {
    w -= rate * decay * w;
  } else {
    g += decay * w;
  }
  if (isAdaptive(rates.rule)) {
    firstMoment = rates.beta1 * firstMoment + (1 - rates.beta1) * g;
    secondMoment = rates.beta2 * secondMoment + (1 - rates.beta2) * g * g;
    const double mean = firstMoment / (1 - std::pow(rates.beta1, step));
    const double square = secondMoment / (1 - std::pow(rates.beta2, step));
    w -= rate * mean / (std::sqrt(square) + rates.epsilon);
    return;
  }
  if (rates.rule == UpdateRule::lion) {
    const double mean = rates.beta1 * firstMoment + (1 - rates.beta1) * g;
    w -= rate * ((mean > 0) - (mean < 0));
    firstMoment = rates.beta2 * firstMoment + (1 - rates.beta2) * g;
    return;
  }
  if (rates.rule == UpdateRule::sgd) {
    w -= rate * g;
    return;
  }
  firstMoment = rates.momentum * firstMoment + g;
  w -= rate * (rates.rule == UpdateRule::nesterov ? g + rates.momentum * firstMoment : firstMoment);
}

}  // namespace lambda::test
