#include "widgets/plots/axes/plot_legend.h"

#include <algorithm>

#include <QFontMetricsF>
#include <QtMath>

#include "widgets/qcustomplot_include.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/typography.h"

namespace lambda {

namespace {

constexpr double kIconWidth = 14;
constexpr double kLegendGap = 12;
constexpr int kUnlimited = 100'000;
// QCustomPlot draws a name without the lowest row of pixels of its item, in which descenders end.
constexpr int kClippedBelow = 1;

}  // namespace

void PlotLegend::place() {
  QCPLegend* legend = plot_.legend;
  plot_.plotLayout()->insertRow(0);
  plot_.plotLayout()->addElement(0, 0, legend);
  plot_.plotLayout()->setRowStretchFactor(0, 0.001);
  legend->setMargins({0, 0, 0, 4});
  legend->setBorderPen(QPen(Qt::transparent));
  legend->setBrush(Qt::NoBrush);
  // An empty legend would limit the width of the plot to its own.
  legend->setMaximumSize(kUnlimited, kUnlimited);
}

void PlotLegend::style(const Colors& colors, double width) const {
  QCPLegend* legend = plot_.legend;
  legend->setVisible(legend->itemCount() > 0);
  legend->setFont(smallFont());
  legend->setTextColor(colors.textSecondary);
  legend->setIconSize(static_cast<int>(kIconWidth),
                      static_cast<int>(QFontMetricsF(smallFont()).height() / 2));
  legend->setColumnSpacing(static_cast<int>(kLegendGap));
  legend->setWrap(columnsIn(width));
  legend->setFillOrder(QCPLegend::foColumnsFirst);
  for (int i = 0; i < legend->itemCount(); ++i) {
    // A place of its grid may be empty.
    if (auto* item = legend->item(i)) item->setMargins({0, 0, 0, kClippedBelow});
  }
  // The last column takes the space that is left, so that the names stand side by side.
  for (int column = 0; column < legend->columnCount(); ++column) {
    legend->setColumnStretchFactor(column, column + 1 < legend->columnCount() ? 0.001 : 1);
  }
}

int PlotLegend::furtherHeight(int width) const {
  const int count = plot_.legend->itemCount();
  const int furtherRows = count > 0 ? (count - 1) / columnsIn(width) : 0;
  const int row = qCeil(QFontMetricsF(smallFont()).height()) + kClippedBelow;
  return furtherRows * (row + plot_.legend->rowSpacing());
}

int PlotLegend::columnsIn(double width) const {
  const QFontMetricsF metrics(smallFont());
  const int count = plot_.legend->itemCount();
  double sum = 0;
  double widest = 1;
  for (int i = 0; i < count; ++i) {
    auto* item = qobject_cast<QCPPlottableLegendItem*>(plot_.legend->item(i));
    const QString name = item ? item->plottable()->name() : QString();
    const double entry = kIconWidth + metrics.horizontalAdvance(name) + 2 * kLegendGap;
    sum += entry;
    widest = std::max(widest, entry);
  }
  return std::max(1, sum <= width ? count : static_cast<int>(width / widest));
}

}  // namespace lambda
