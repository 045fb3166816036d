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
                          double& first,
                          double& second) {
  const double rate = rates.learningRate * rateFactor;
  double g = gradient * rates.gradientScale;
  if (rates.rule == UpdateRule::adamw) {
    w -= rate * decay * w;
  } else {
    g += decay * w;
  }
  if (isAdaptive(rates.rule)) {
    first = rates.beta1 * first + (1 - rates.beta1) * g;
    second = rates.beta2 * second + (1 - rates.beta2) * g * g;
    const double mean = first / (1 - std::pow(rates.beta1, step));
    const double square = second / (1 - std::pow(rates.beta2, step));
    w -= rate * mean / (std::sqrt(square) + rates.epsilon);
    return;
  }
  if (rates.rule == UpdateRule::sgd) {
    w -= rate * g;
    return;
  }
  first = rates.momentum * first + g;
  w -= rate * (rates.rule == UpdateRule::nesterov ? g + rates.momentum * first : first);
}

}  // namespace lambda::test
