#pragma once

#include <cstdint>
#include <string>
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

}  // namespace lambda
