#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lambda {

struct CurvePoint {
  std::int64_t step = 0;
  double wallTime = 0;  ///< Seconds since 1970-01-01 UTC.
  double value = 0;     ///< NaN and infinities are kept as logged.

  bool operator==(const CurvePoint&) const = default;
};

/// A series of values over the steps of a run, ascending by step.
struct Curve {
  std::string name;
  std::vector<CurvePoint> points;

  bool operator==(const Curve&) const = default;
};

/// Whether lower values of the named quantity are better, as those of a loss, an error rate, a
/// perplexity or a mean squared error are: "val/Loss", "top1_error", "testRMSE".
bool isLowGood(std::string_view name);

}  // namespace lambda
