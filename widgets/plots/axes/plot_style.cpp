#include "widgets/plots/axes/plot_style.h"

#include <QPainter>
#include <QPicture>

#include "widgets/qcustomplot_include.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/typography.h"

namespace lambda {

void styleAxis(QCPAxis& axis, const Colors& colors) {
  const bool isX = axis.orientation() == Qt::Horizontal;
  const QPen hairline(colors.hairline, 1);
  axis.setTickLabelFont(smallFont());
  axis.setTickLabelColor(colors.textSecondary);
  axis.setLabelFont(smallFont());
  axis.setLabelColor(colors.textSecondary);
  axis.setBasePen(isX ? hairline : Qt::NoPen);
  // Not Qt::NoPen: exports would draw it as dots.
  axis.setTickPen(isX ? hairline : QPen(Qt::transparent));
  axis.setSubTicks(false);
  axis.setTickLength(0, isX ? 4 : 0);
  axis.setTickLabelPadding(4);
  axis.setLabelPadding(2);
  QColor grid = colors.hairline;
  grid.setAlphaF(0.6F * grid.alphaF());
  axis.grid()->setPen(QPen(grid, 1));
  axis.grid()->setZeroLinePen(Qt::NoPen);
  axis.grid()->setAntialiased(false);
  axis.grid()->setVisible(!isX);
}

void paintPlot(QCustomPlot& plot, QPainter& painter, const QSize& size) {
  QPicture picture;
  QCPPainter recorder(&picture);
  plot.toPainter(&recorder, size.width(), size.height());
  recorder.end();
  painter.drawPicture(0, 0, picture);
}

}  // namespace lambda
