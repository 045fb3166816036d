#pragma once

#include <array>
#include <functional>
#include <utility>
#include <vector>

#include "widgets/plots/curves/decimation.h"

namespace lambda {

/// The heights of a line in pixels at equal distances over the visible range; NaN where there is no
/// line.
using LineTrace = std::array<double, 32>;

/// `points` ascend in x; `pixelOf` maps y to pixels.
LineTrace traceOf(const std::vector<PlotPoint>& points,
                  std::pair<double, double> xRange,
                  const std::function<double(double)>& pixelOf);

/// Whether one line covers the other over at least half of the places where both are.
bool doCoincide(const LineTrace& a, const LineTrace& b);

}  // namespace lambda
