// Pointer, wheel and key events of a heat map.

#include <algorithm>
#include <cmath>

#include <QAccessible>
#include <QApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QScrollArea>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>

#include "widgets/pictures/heatmaps/heatmap_view.h"
#include "widgets/pictures/large_picture.h"

namespace lambda {

namespace {

constexpr double kKeyZoom = 1.25;
constexpr double kWheelZoom = 1.0015;  // a step of the wheel is 120 units: about a fifth
constexpr double kLargestCell = 120;   // in device-independent pixels

/// Whether the wheel should scroll an area around the view instead.
bool isScrolled(const QWidget& widget) {
  for (const QWidget* parent = widget.parentWidget(); parent; parent = parent->parentWidget()) {
    const auto* area = qobject_cast<const QScrollArea*>(parent);
    if (area && area->verticalScrollBar()->maximum() > 0) return true;
  }
  return false;
}

}  // namespace

void HeatmapView::zoomBy(double factor, const QPointF& at) {
  if (layout_.isEmpty()) return;
  const double whole = layout_.cellSide() / zoom_;
  const double zoom = std::clamp(zoom_ * factor, 1.0, std::max(1.0, kLargestCell / whole));
  if (zoom == zoom_) return;
  // The point under the pointer stays there. Gaps between tiles do not grow, so it is found by its
  // place within its tile.
  const int tile = *layout_.nearestTile(at);
  const QSizeF cell = layout_.cellSize();
  const QPointF within = at - layout_.tileRect(tile).topLeft();
  const int tilesPerRow = layout_.tilesPerRow();
  zoom_ = zoom;
  zoomedTilesPerRow_ = zoom > 1 ? tilesPerRow : 0;
  offset_ = {};
  const HeatmapLayout unmoved = layoutFor(size());
  const QPointF now = unmoved.tileRect(tile).topLeft() - unmoved.offset() +
                      QPointF(within.x() * unmoved.cellSize().width() / cell.width(),
                              within.y() * unmoved.cellSize().height() / cell.height());
  offset_ = at - now;
  relayout();
}

void HeatmapView::resetZoom() {
  zoom_ = 1;
  zoomedTilesPerRow_ = 0;
  offset_ = {};
  relayout();
}

bool HeatmapView::moveView(const QPointF& by) {
  const QPointF before = offset_;
  offset_ += by;
  relayout();
  return offset_ != before;
}

void HeatmapView::setHovered(std::optional<TileCell> cell) {
  if (cell == hovered_) return;
  hovered_ = cell;
  update();
  const TileCell none{.tile = -1, .row = -1, .column = -1};
  const TileCell now = cell.value_or(none);
  Q_EMIT cellHovered(now.tile, now.row, now.column);
}

void HeatmapView::setCursorCell(std::optional<TileCell> cell) {
  if (cell == cursor_) return;
  cursor_ = cell;
  update();
  if (!cell) return;
  const QRectF area = layout_.area(), shown = layout_.cellRect(*cell);
  const QPointF by(
      std::max(0.0, area.left() - shown.left()) - std::max(0.0, shown.right() - area.right()),
      std::max(0.0, area.top() - shown.top()) - std::max(0.0, shown.bottom() - area.bottom()));
  if (!by.isNull()) moveView(by);
  setAccessibleDescription(readoutOf(*cell));
  QAccessibleEvent changed(this, QAccessible::DescriptionChanged);
  QAccessible::updateAccessibility(&changed);
  Q_EMIT cellHovered(cell->tile, cell->row, cell->column);
}

void HeatmapView::moveCursor(int rows, int columns) {
  if (layout_.isEmpty()) return;
  setHovered(std::nullopt);
  if (!cursor_) {
    setCursorCell(mark_ ? TileCell{.tile = 0, .row = mark_->row, .column = mark_->column}
                        : TileCell{});
    return;
  }
  TileCell next = *cursor_;
  const int perRow = layout_.tilesPerRow(), tiles = data_.tileCount();
  next.row += rows;
  next.column += columns;
  // Moves over a tile's edge into its neighbour, where there is one.
  const bool hasLeft = next.tile % perRow > 0;
  const bool hasRight = next.tile % perRow < perRow - 1 && next.tile + 1 < tiles;
  if (next.column < 0 && hasLeft) {
    next = {next.tile - 1, next.row, data_.columnCount() - 1};
  } else if (next.column >= data_.columnCount() && hasRight) {
    next = {next.tile + 1, next.row, 0};
  } else if (next.row < 0 && next.tile >= perRow) {
    next = {next.tile - perRow, data_.rowCount() - 1, next.column};
  } else if (next.row >= data_.rowCount() && next.tile + perRow < tiles) {
    next = {next.tile + perRow, 0, next.column};
  }
  next.row = std::clamp(next.row, 0, data_.rowCount() - 1);
  next.column = std::clamp(next.column, 0, data_.columnCount() - 1);
  setCursorCell(next);
}

bool HeatmapView::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const std::optional<TileCell> cell = cellAt(help->pos());
    if (cell) {
      QToolTip::showText(help->globalPos(), readoutOf(*cell), this);
    } else {
      QToolTip::hideText();
    }
    return true;
  }
  return QWidget::event(event);
}

void HeatmapView::wheelEvent(QWheelEvent* event) {
  const bool zooms =
      event->modifiers().testFlag(Qt::ControlModifier) || hasFocus() || !isScrolled(*this);
  if (!zooms || layout_.isEmpty()) {
    event->ignore();
    return;
  }
  zoomBy(std::pow(kWheelZoom, event->angleDelta().y()), event->position());
}

void HeatmapView::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) {
    event->ignore();
    return;
  }
  pressedAt_ = event->position();
  dragging_ = false;
}

void HeatmapView::mouseMoveEvent(QMouseEvent* event) {
  setHovered(cellAt(event->position()));
  if (!pressedAt_) return;
  const QPointF by = event->position() - *pressedAt_;
  if (!dragging_ && by.manhattanLength() < QApplication::startDragDistance()) return;
  dragging_ = true;
  if (moveView(by)) setCursor(Qt::ClosedHandCursor);
  pressedAt_ = event->position();
}

void HeatmapView::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || !pressedAt_) return;
  pressedAt_.reset();
  unsetCursor();
  if (dragging_) return;
  const std::optional<TileCell> cell = cellAt(event->position());
  if (!cell) return;
  setCursorCell(cell);
  Q_EMIT cellActivated(cell->tile, cell->row, cell->column);
}

void HeatmapView::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || layout_.isEmpty()) return;
  (new LargePicture(*this))->show();
}

void HeatmapView::leaveEvent(QEvent* /*event*/) {
  setHovered(std::nullopt);
}

void HeatmapView::keyPressEvent(QKeyEvent* event) {
  const QPointF center = layout_.area().center();
  switch (event->key()) {
    case Qt::Key_Left:
      return moveCursor(0, -1);
    case Qt::Key_Right:
      return moveCursor(0, 1);
    case Qt::Key_Up:
      return moveCursor(-1, 0);
    case Qt::Key_Down:
      return moveCursor(1, 0);
    case Qt::Key_Plus:
    case Qt::Key_Equal:
      return zoomBy(kKeyZoom, center);
    case Qt::Key_Minus:
      return zoomBy(1 / kKeyZoom, center);
    case Qt::Key_0:
      return resetZoom();
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space:
      if (cursor_) Q_EMIT cellActivated(cursor_->tile, cursor_->row, cursor_->column);
      return;
    default:
      QWidget::keyPressEvent(event);
  }
}

}  // namespace lambda
