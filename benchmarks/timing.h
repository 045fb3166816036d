#pragma once

#include <vector>

namespace lambda {

/// How long something took over its repetitions, in seconds.
struct Timing {
  double median = 0;
  double low = 0;   ///< 10th percentile.
  double high = 0;  ///< 90th percentile.
  double tail = 0;  ///< 95th percentile.

  bool operator==(const Timing&) const = default;
};

/// The value below which a share of 0..1 of the values lies, between neighbours in proportion (the
/// default of NumPy and R); 0 of none.
double quantileOf(std::vector<double> values, double share);

Timing timingOf(const std::vector<double>& seconds);

}  // namespace lambda
