#include "engine/benchmarks/measuring/timing.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace lambda {

double quantileOf(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const double place = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return std::lerp(values[below], values[above], place - std::floor(place));
}

Timing timingOf(const std::vector<double>& seconds) {
  return {quantileOf(seconds, 0.5),
          quantileOf(seconds, 0.1),
          quantileOf(seconds, 0.9),
          quantileOf(seconds, 0.95)};
}

}  // namespace lambda
