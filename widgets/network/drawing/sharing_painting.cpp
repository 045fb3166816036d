#include <algorithm>

#include <QPainter>
#include <QPainterPath>

#include "engine/values/architecture/shared_tables.h"
#include "widgets/network/drawing/network_painter.h"
#include "widgets/theme/colors.h"

namespace lambda {

namespace {

// Lengths at scale 1.
constexpr double kGutter = 3.5;  ///< From a column's right edge to the line of the first table.
constexpr double kPitch = 3;     ///< Between the lines of two tables.
constexpr int kMostLines = 3;    ///< Beside each other.
constexpr double kDot = 2.5;

}  // namespace

/// A line in a colour of its own joins the blocks that share one table of position embeddings. It
/// lies at the right of the columns and crosses other columns behind their blocks.
void NetworkPainter::paintSharing() {
  const std::vector<SharedTable> tables = sharedTablesOf(architecture_);
  int line = 0;
  for (const SharedTable& table : tables) {
    if (table.blocks.size() < 2) continue;
    paintSharedTable(table, line++);
  }
}

void NetworkPainter::paintSharedTable(const SharedTable& table, int line) {
  // The first two colours of the series are those of costs and of chips.
  const QColor ink = colors_.series[static_cast<std::size_t>(2 + line % 5)];
  const double offset = (kGutter + kPitch * (line % kMostLines)) * scale_;
  QPainterPath path;
  std::vector<QPointF> dots;
  for (const auto& [stage, block] : table.blocks) {
    const ColumnBoxes* column = layout_.columnOf(stagePart(stage));
    if (!column || block >= std::ssize(column->blocks)) continue;
    const QRectF chip = chipBox(layout_, column->blocks[static_cast<std::size_t>(block)], scale_);
    const double x = column->x + column->width + offset;
    const double y = chip.center().y() + (line % kMostLines - 1) * kPitch * scale_;
    const QPointF corner(x, y);
    if (dots.empty()) {
      path.moveTo(chip.right(), y);
      path.lineTo(corner);
    } else {
      path.lineTo(path.currentPosition().x(), y);
      path.lineTo(corner);
      path.lineTo(chip.right(), y);
      path.lineTo(corner);
    }
    dots.push_back(corner);
  }
  painter_.setPen(QPen(ink, 1.5 * scale_, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  painter_.setBrush(Qt::NoBrush);
  painter_.drawPath(path);
  painter_.setPen(Qt::NoPen);
  painter_.setBrush(ink);
  for (const QPointF& dot : dots) painter_.drawEllipse(dot, kDot * scale_, kDot * scale_);
}

}  // namespace lambda
