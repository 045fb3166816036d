#pragma once

#include <span>

#include "engine/values/experiment/sample_summary.h"

namespace lambda {

/// Describes values that are drawn independently from a normal distribution. An empty sample has a
/// mean of 0.
SampleSummary summaryOf(std::span<const double> values);

/// The quantile of Student's t distribution: the value that a variable stays below with the given
/// probability, 0 < probability < 1. `freedom` are degrees of freedom, at least 1.
double studentQuantile(double probability, int freedom);

/// Compares two samples of which the values at the same place belong together. Requires that they
/// have the same size.
PairedDifference pairedDifference(std::span<const double> values, std::span<const double> baseline);

}  // namespace lambda
