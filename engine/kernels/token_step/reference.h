#pragma once

// The layers of token_step_kernel.h by their formulas, in the number type T.

#include <cmath>
#include <cstddef>
#include <vector>

namespace lambda {

/// W x [outputs] of W [outputs, inputs].
template <class T>
std::vector<T> projected(const std::vector<T>& weight, const std::vector<T>& x) {
  std::vector<T> y(weight.size() / x.size());
  for (std::size_t i = 0; i < weight.size(); ++i) y[i / x.size()] += weight[i] * x[i % x.size()];
  return y;
}

/// share now + (1 - share) before [c].
template <class T>
std::vector<T> shifted(const std::vector<T>& share,
                       const std::vector<T>& now,
                       const std::vector<T>& before) {
  std::vector<T> x;
  for (std::size_t i = 0; i < share.size(); ++i)
    x.push_back(share[i] * now[i] + (1 - share[i]) * before[i]);
  return x;
}

/// sigmoid(gate) x
template <class T>
std::vector<T> gated(const std::vector<T>& gate, const std::vector<T>& x) {
  std::vector<T> y;
  for (std::size_t i = 0; i < x.size(); ++i) y.push_back(x[i] / (1 + std::exp(-gate[i])));
  return y;
}

/// max(x, 0)^2
template <class T>
std::vector<T> squared(std::vector<T> x) {
  for (T& value : x) value = value > 0 ? value * value : 0;
  return x;
}

/// (x - mean) / sqrt(variance + epsilon) weight + bias
template <class T>
std::vector<T> normalized(std::vector<T> x,
                          const std::vector<T>& weight,
                          const std::vector<T>& bias,
                          T epsilon) {
  T mean = 0, variance = 0;
  for (const T value : x) mean += value / static_cast<T>(x.size());
  for (const T value : x) variance += (value - mean) * (value - mean) / static_cast<T>(x.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = (x[i] - mean) / std::sqrt(variance + epsilon) * weight[i] + bias[i];
  return x;
}

}  // namespace lambda
