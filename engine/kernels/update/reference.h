#pragma once

// The update rules for one weight. The kernels of the CPU and of CUDA compute the same.

#include <cmath>

#include "engine/kernels/update/weight_update_kernel.h"

namespace lambda {

inline bool isAdaptive(UpdateRule rule) {
  return rule == UpdateRule::adam || rule == UpdateRule::adamw;
}

/// One step of an update of the weight w, in double; `step` counts from 1. With the rate
/// lr = learningRate rateFactor, the gradient g = gradientScale gradient and the decay d:
///
///   sgd, momentum, nesterov, adam   g += d w               adamw, lion   w -= lr d w
///   sgd        w -= lr g
///   momentum   m = momentum m + g                          w -= lr m
///   nesterov   m = momentum m + g                          w -= lr (g + momentum m)
///   adam(w)    m = beta1 m + (1 - beta1) g                 w -= lr mhat / (sqrt(vhat) + epsilon)
///              v = beta2 v + (1 - beta2) g^2               mhat = m / (1 - beta1^step), so is vhat
///   lion       w -= lr sign(beta1 m + (1 - beta1) g)       m = beta2 m + (1 - beta2) g
///
/// m is firstMoment, v is secondMoment.
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

}  // namespace lambda
