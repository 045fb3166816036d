#include "widgets/plots/curves/decimation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

namespace lambda {

namespace {

/// The extreme points of one column so far.
struct Column {
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  std::size_t first = kNone;
  std::size_t last = kNone;
  std::size_t least = kNone;
  std::size_t greatest = kNone;

  void add(std::size_t i, std::span<const double> y) {
    if (first == kNone) first = least = greatest = i;
    last = i;
    if (y[i] < y[least]) least = i;
    if (y[i] > y[greatest]) greatest = i;
  }

  void moveTo(std::vector<PlotPoint>& points,
              std::span<const double> x,
              std::span<const double> y) {
    if (first == kNone) return;
    const std::array<std::size_t, 4> order{
        first, std::min(least, greatest), std::max(least, greatest), last};
    std::size_t previous = kNone;
    for (const std::size_t i : order) {
      if (i != previous) points.push_back({x[i], y[i]});
      previous = i;
    }
    *this = {};
  }
};

}  // namespace

std::vector<PlotPoint> decimated(
    std::span<const double> x, std::span<const double> y, double low, double high, int columns) {
  const auto index = [&](auto place) { return static_cast<std::size_t>(place - x.begin()); };
  std::size_t begin = index(std::lower_bound(x.begin(), x.end(), low));
  std::size_t end = index(std::upper_bound(x.begin(), x.end(), high));
  if (begin > 0) --begin;
  if (end < x.size()) ++end;

  std::vector<PlotPoint> points;
  if (columns < 1 || !(high > low) || end - begin <= 2 * static_cast<std::size_t>(columns)) {
    points.reserve(end - begin);
    for (std::size_t i = begin; i < end; ++i) {
      points.push_back(
          {x[i], std::isfinite(y[i]) ? y[i] : std::numeric_limits<double>::quiet_NaN()});
    }
    return points;
  }
  points.reserve(4 * static_cast<std::size_t>(columns) + 2);
  const double columnsPerUnit = columns / (high - low);
  Column column;
  double current = -std::numeric_limits<double>::infinity();
  for (std::size_t i = begin; i < end; ++i) {
    if (!std::isfinite(y[i])) continue;
    const double place = std::floor((x[i] - low) * columnsPerUnit);
    if (place != current) {
      column.moveTo(points, x, y);
      current = place;
    }
    column.add(i, y);
  }
  column.moveTo(points, x, y);
  return points;
}

std::vector<PlotPoint> isolatedPoints(std::span<const PlotPoint> points) {
  const auto isGap = [&](std::size_t i) {
    return i >= points.size() || !std::isfinite(points[i].y);
  };
  std::vector<PlotPoint> isolated;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!isGap(i) && isGap(i - 1) && isGap(i + 1)) isolated.push_back(points[i]);
  }
  return isolated;
}

}  // namespace lambda
