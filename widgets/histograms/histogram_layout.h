#pragma once

#include <optional>
#include <utility>
#include <vector>

#include <QPointF>
#include <QRectF>
#include <QSizeF>

#include "widgets/histograms/histogram_picture.h"

namespace lambda {

/// The gaps of the picture, in device-independent pixels.
inline constexpr double kHistogramGap = 8;
inline constexpr double kHistogramTick = 4;
inline constexpr double kHistogramBarWidth = 12;

/// Where the parts of the picture lie within `size`.
class HistogramLayout {
 public:
  HistogramLayout(const HistogramPicture& picture, const QSizeF& size);

  const QRectF& area() const { return area_; }

  /// The right end of the steps that a column stands for: the next column's step.
  double endOf(std::size_t column) const;

  double xOfStep(double step) const;

  /// The position of a place of the grid's axis: along y in a heat map, along x in ridges.
  double positionOf(double place) const;

  /// The column and the place below a point; none outside of the area. In ridges the column is the
  /// one whose curve is nearest.
  std::optional<std::pair<std::size_t, double>> at(const QPointF& point) const;

  /// The columns that are drawn as ridges, ascending.
  const std::vector<std::size_t>& ridges() const { return ridges_; }

  double baselineOf(std::size_t ridge) const;

  /// The greatest height of a curve above its baseline.
  double ridgeHeight() const;

 private:
  const HistogramPicture& picture_;
  QRectF area_;
  std::vector<std::size_t> ridges_;
};

}  // namespace lambda
