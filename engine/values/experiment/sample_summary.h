#pragma once

#include <algorithm>
#include <optional>

namespace lambda {

/// A range that contains the true value in 95 of 100 such samples.
struct Interval {
  double low = 0;
  double high = 0;

  bool contains(double value) const { return low <= value && value <= high; }

  /// Cut off at the ends of other values.
  Interval within(const Interval& limits) const {
    return {std::clamp(low, limits.low, limits.high), std::clamp(high, limits.low, limits.high)};
  }

  bool operator==(const Interval&) const = default;
};

/// The mean of a sample and how certain it is.
struct SampleSummary {
  int count = 0;
  double mean = 0;
  double deviation = 0;  ///< Standard deviation with count - 1 in the denominator; 0 of one value.
  std::optional<Interval> interval;  ///< Of the mean, by Student's t; nothing of fewer than two.

  bool operator==(const SampleSummary&) const = default;
};

/// Differences of pairs, value minus baseline, of runs with the same seed.
struct PairedDifference {
  SampleSummary differences;

  /// Whether the interval excludes 0: a difference is seen.
  bool isSeen() const { return differences.interval && !differences.interval->contains(0); }

  /// The smallest mean difference that so many pairs with so much scatter would have shown: half
  /// the width of the interval. Nothing of fewer than two pairs.
  std::optional<double> visible() const {
    if (!differences.interval) return std::nullopt;
    return (differences.interval->high - differences.interval->low) / 2;
  }

  bool operator==(const PairedDifference&) const = default;
};

}  // namespace lambda
