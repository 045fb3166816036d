#include "engine/values/experiment/axis_values.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "engine/values/text/quantities.h"
#include "engine/values/text/text.h"

namespace lambda {

namespace {

constexpr int kDigits = 4;  ///< Significant ones, so that names of variants stay readable.

/// Uniform in [0, 1). Standard distributions may differ between libraries; the engine does not.
double fraction(std::mt19937_64& random) {
  return std::ldexp(static_cast<double>(random() >> 11), -53);
}

bool isRandom(AxisScale scale) {
  return scale == AxisScale::random || scale == AxisScale::randomLogarithmic;
}

bool isLogarithmic(AxisScale scale) {
  return scale == AxisScale::logarithmic || scale == AxisScale::randomLogarithmic;
}

}  // namespace

std::vector<std::string> valuesOf(const Axis& axis) {
  if (axis.scale == AxisScale::list) return axis.values;
  const bool isLog = isLogarithmic(axis.scale);
  const bool isPossible = std::isfinite(axis.from) && std::isfinite(axis.to) && axis.count > 0 &&
                          (!isLog || (axis.from > 0 && axis.to > 0));
  if (!isPossible) return {};
  std::mt19937_64 random(axis.seed);
  std::vector<std::string> values;
  for (int i = 0; i < axis.count; ++i) {
    const double at = isRandom(axis.scale) ? fraction(random)
                                           : static_cast<double>(i) / std::max(1, axis.count - 1);
    double value = isLog ? axis.from * std::pow(axis.to / axis.from, at)
                         : axis.from + (axis.to - axis.from) * at;
    // The last one is exactly the bound.
    if (!isRandom(axis.scale) && axis.count > 1 && i == axis.count - 1) value = axis.to;
    const bool isBound = value == axis.from || value == axis.to;
    values.push_back(isBound ? formatNumber(value) : formatRounded(value, kDigits));
  }
  return values;
}

}  // namespace lambda
