#pragma once

#include <optional>
#include <vector>

#include <QPointF>
#include <QRectF>
#include <QSizeF>
#include <QString>

#include "widgets/histograms/histogram_grid.h"

class QPainter;

namespace lambda {

struct Colors;

/// How histograms over time are drawn.
enum class HistogramForm {
  heatmap,  ///< Steps along x, values along y, shares as colours.
  ridges,   ///< Values along x, a curve for some of the steps, the newest in front.
};

/// The content of a HistogramPlot.
struct HistogramPicture {
  QString title;
  QString quantity;  ///< What the values are: the title of their axis.
  HistogramForm form = HistogramForm::heatmap;
  std::vector<HistogramColumn> columns;  ///< Ascending by step.
  HistogramGrid grid;                    ///< Of the columns.
  bool showsQuantiles = true;
  std::optional<std::size_t> marked = std::nullopt;  ///< Column of the crosshair.
  double markedValue = 0;                            ///< Value of the crosshair.

  bool isEmpty() const { return columns.empty(); }
};

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

void paintHistograms(QPainter& painter,
                     const HistogramPicture& picture,
                     const QSizeF& size,
                     const Colors& colors);

}  // namespace lambda
