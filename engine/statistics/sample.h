#pragma once

#include <optional>
#include <span>
#include <string>

namespace lambda {

/// A range that contains the true value in 95 of 100 such samples.
struct Interval {
  double low = 0;
  double high = 0;

  bool contains(double value) const { return low <= value && value <= high; }
};

/// The mean of a sample and how certain it is.
struct SampleSummary {
  int count = 0;
  double mean = 0;
  double deviation = 0;  ///< Standard deviation with count - 1 in the denominator; 0 of one value.
  std::optional<Interval> interval;  ///< Of the mean, by Student's t; nothing of fewer than two.
};

/// Describes values that are drawn independently from a normal distribution. An empty sample has a
/// mean of 0.
SampleSummary summaryOf(std::span<const double> values);

/// The quantile of Student's t distribution: the value that a variable stays below with the given
/// probability, 0 < probability < 1. `freedom` are degrees of freedom, at least 1.
double studentQuantile(double probability, int freedom);

/// Differences of pairs, value minus baseline, of runs with the same seed.
struct PairedDifference {
  SampleSummary differences;

  /// Whether the interval excludes 0: a difference is seen.
  bool isSeen() const;

  /// The smallest mean difference that so many pairs with so much scatter would have shown: half
  /// the width of the interval. Nothing of fewer than two pairs.
  std::optional<double> visible() const;
};

/// Compares two samples of which the values at the same place belong together. Requires that they
/// have the same size.
PairedDifference pairedDifference(std::span<const double> values, std::span<const double> baseline);

}  // namespace lambda
