#pragma once

#include <span>
#include <vector>

namespace lambda {

struct PlotPoint {
  double x = 0;
  double y = 0;

  bool operator==(const PlotPoint&) const = default;
};

/// The points to draw of a line: those with `low` <= x <= `high` and one more on each side. Where
/// several fall into one of `columns` columns of pixels they are thinned out to the first, the last
/// and, between them, the smallest and the greatest, in their order, so that the drawn line covers
/// the same pixels. `x` ascends and is as long as `y`. A value that is not finite becomes a gap,
/// NaN, among few points; in a crowded column it is skipped.
std::vector<PlotPoint> decimated(
    std::span<const double> x, std::span<const double> y, double low, double high, int columns);

/// The points in the result of decimated() that no line connects: finite, with a gap or nothing on
/// both sides.
std::vector<PlotPoint> isolatedPoints(std::span<const PlotPoint> points);

}  // namespace lambda
