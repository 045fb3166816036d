#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/values/run/histogram.h"

namespace lambda {

/// A histogram of one step.
struct HistogramColumn {
  std::int64_t step = 0;
  std::shared_ptr<const Histogram> histogram;
};

/// Where values lie along an axis: in proportion, or logarithmically in both directions from 0, as
/// asinh(value / unit), which is in proportion for values much smaller than the unit.
struct ValueScale {
  bool isLogarithmic = false;
  double unit = 1;

  double placeOf(double value) const;
  double valueAt(double place) const;
};

/// Round values for the ticks of an axis between two places, about `wanted` of them, ascending: on
/// a logarithmic one powers of ten of both signs, and 0.
std::vector<double> valueTicks(const ValueScale& scale, double low, double high, int wanted);

/// The share of a histogram's finite values between neighbouring places. Within bins the
/// distribution function is a monotone cubic (Fritsch and Carlson, 1980), so that bins wider than a
/// cell are seen as a smooth curve and not as steps.
std::vector<double> sharesBetween(const Histogram& histogram,
                                  const ValueScale& scale,
                                  std::span<const double> places);

/// The quantiles that are drawn as lines, the median in the middle.
inline constexpr double kShownQuantiles[] = {0.05, 0.25, 0.5, 0.75, 0.95};

/// Histograms of several steps as cells of one axis of values.
struct HistogramGrid {
  static constexpr int kRows = 128;

  ValueScale scale;
  double low = 0;  ///< Places of the ends of the axis.
  double high = 1;
  std::vector<float> shares;                   ///< [columns, kRows], from low to high.
  std::vector<std::vector<double>> quantiles;  ///< kShownQuantiles of each column.

  double placeOfRow(double row) const { return low + (high - low) * row / kRows; }

  double shareAt(std::size_t column, int row) const {
    return static_cast<double>(shares[column * kRows + static_cast<std::size_t>(row)]);
  }

  /// The greatest share of a cell; 0 without values.
  double greatestShare() const;
};

/// On an axis in proportion it shows 99.8 % of the values of every step, so that a few outliers do
/// not hide the others; on a logarithmic one all of them.
HistogramGrid gridOf(const std::vector<HistogramColumn>& columns, bool isLogarithmic);

}  // namespace lambda
