#pragma once

#include <cmath>
#include <limits>
#include <span>
#include <vector>

namespace lambda {

/// Exponential moving average without bias at its start: sum_i s^(t-i) x_i / sum_i s^(t-i), which
/// is the plain average with weight s of the past divided by 1 - s^t. Values that are not finite
/// are skipped. A constant series comes out unchanged, to the bit.
class DebiasedAverage {
 public:
  /// `weight` s of the past in 0..1, 1 excluded; 0 gives every value as it is.
  explicit DebiasedAverage(double weight = 0) : weight_(weight) {}

  /// The average after `value`; NaN where `value` is not finite.
  double add(double value) {
    if (!std::isfinite(value)) return std::numeric_limits<double>::quiet_NaN();
    power_ *= weight_;
    // The same average as a step towards the new value, which avoids the loss of precision from a
    // division by small numbers.
    average_ += (value - average_) * ((1 - weight_) / (1 - power_));
    return average_;
  }

 private:
  double weight_;
  double power_ = 1;  // s^t
  double average_ = 0;
};

/// The average after each of the values; see DebiasedAverage.
inline std::vector<double> smoothed(std::span<const double> values, double weight) {
  DebiasedAverage average(weight);
  std::vector<double> result;
  result.reserve(values.size());
  for (const double value : values) result.push_back(average.add(value));
  return result;
}

}  // namespace lambda
