#pragma once

#include <optional>
#include <vector>

#include <QString>

#include "widgets/histograms/histogram_grid.h"

class QPainter;
class QSizeF;

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

void paintHistograms(QPainter& painter,
                     const HistogramPicture& picture,
                     const QSizeF& size,
                     const Colors& colors);

}  // namespace lambda
