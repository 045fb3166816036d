#include "engine/statistics/sample.h"

#include <cmath>
#include <vector>

#include <gsl/gsl_cdf.h>

namespace lambda {

namespace {

constexpr double kConfidence = 0.95;

}  // namespace

double studentQuantile(double probability, int freedom) {
  return gsl_cdf_tdist_Pinv(probability, freedom);
}

SampleSummary summaryOf(std::span<const double> values) {
  SampleSummary summary;
  summary.count = static_cast<int>(values.size());
  if (values.empty()) return summary;
  const auto count = static_cast<double>(values.size());
  for (const double value : values) summary.mean += value / count;
  if (values.size() < 2) return summary;
  double squares = 0;
  for (const double value : values) {
    squares += (value - summary.mean) * (value - summary.mean);
  }
  summary.deviation = std::sqrt(squares / (count - 1));
  const double reach = studentQuantile((1 + kConfidence) / 2, summary.count - 1) *
                       summary.deviation / std::sqrt(count);
  summary.interval = Interval{summary.mean - reach, summary.mean + reach};
  return summary;
}

PairedDifference pairedDifference(std::span<const double> values,
                                  std::span<const double> baseline) {
  std::vector<double> differences;
  for (std::size_t i = 0; i < values.size(); ++i) differences.push_back(values[i] - baseline[i]);
  return {summaryOf(differences)};
}

}  // namespace lambda
