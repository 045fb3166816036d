#pragma once

#include <vector>

namespace lambda {

/// The distribution of a duration over its repetitions, in seconds.
struct Timing {
  double median = 0;
  double low = 0;   ///< 10th percentile.
  double high = 0;  ///< 90th percentile.
  double tail = 0;  ///< 95th percentile.

  bool operator==(const Timing&) const = default;
};

/// The quantile at `share` in 0..1, with linear interpolation between neighbours (the default of
/// NumPy and R); 0 for no values.
double quantileOf(std::vector<double> values, double share);

Timing timingOf(const std::vector<double>& seconds);

}  // namespace lambda
