#pragma once

#include <string>

#include "engine/values/experiment/experiment_state.h"

namespace lambda {

/// How differences and intervals are meant.
inline constexpr const char* kDifferencesNote =
    "Differences are those of runs with the same seed, and intervals contain the true value in 95 "
    "of 100 such experiments (Student's t).";

/// Numbers of a variant as a report shows them; empty where there are too few runs.
struct ReportNumbers {
  std::string count;
  std::string mean;
  std::string deviation;
  std::string low;  ///< Of the 95 % interval of the mean.
  std::string high;
};

ReportNumbers numbersOf(const VariantResult& result, Quantity quantity);

/// "points" or "images/s"; empty for a quantity without a unit.
std::string unitOf(Quantity quantity);

/// The published value of a variant; empty where there is none.
std::string publishedText(const PublishedColumn& column, const std::string& variant);

/// How many runs are not done, by their state: "2 of 12 runs are not done:
/// 1 waiting, 1 failed". Empty where all are done.
std::string missingText(const ExperimentState& state);

}  // namespace lambda
