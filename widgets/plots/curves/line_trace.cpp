#include "widgets/plots/curves/line_trace.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lambda {

namespace {

constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();
constexpr double kSamePixels = 1.5;

/// The height of the line at a place between its points; NaN outside.
double heightAt(const std::vector<PlotPoint>& points, double x) {
  const auto after = std::ranges::lower_bound(points, x, {}, &PlotPoint::x);
  if (after == points.end()) return kNoValue;
  if (after->x == x) return after->y;
  if (after == points.begin()) return kNoValue;
  const PlotPoint& before = *(after - 1);
  return before.y + (after->y - before.y) * (x - before.x) / (after->x - before.x);
}

}  // namespace

LineTrace traceOf(const std::vector<PlotPoint>& points,
                  std::pair<double, double> xRange,
                  const std::function<double(double)>& pixelOf) {
  LineTrace trace;
  const auto [low, high] = xRange;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const double share = (static_cast<double>(i) + 0.5) / static_cast<double>(trace.size());
    const double y = heightAt(points, low + share * (high - low));
    trace[i] = std::isfinite(y) ? pixelOf(y) : kNoValue;
  }
  return trace;
}

bool doCoincide(const LineTrace& a, const LineTrace& b) {
  int common = 0, same = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double distance = std::abs(a[i] - b[i]);
    if (std::isnan(distance)) continue;
    ++common;
    if (distance <= kSamePixels) ++same;
  }
  return same > 0 && 2 * same >= common;
}

}  // namespace lambda
