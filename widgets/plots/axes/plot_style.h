#pragma once

#include <QSize>

class QCPAxis;
class QCustomPlot;
class QPainter;

namespace lambda {

struct Colors;

/// Gives an axis the fonts, lines and paddings that all plots share; y has a grid, x has ticks.
void styleAxis(QCPAxis& axis, const Colors& colors);

/// Draws the plot into (0, 0) to `size`; vectors stay vectors. The plot must be drawn again for its
/// own size afterwards.
void paintPlot(QCustomPlot& plot, QPainter& painter, const QSize& size);

}  // namespace lambda
