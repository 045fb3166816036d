// Pointer and key events of an image view.

#include <algorithm>

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>

#include "widgets/pictures/images/image_view.h"
#include "widgets/pictures/large_picture.h"

namespace lambda {

namespace {

constexpr int kLargeStep = 4;  // positions per step with Ctrl and an arrow key

}  // namespace

bool ImageView::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const std::optional<Cell> cell = cellAt(help->pos());
    if (cell) {
      QToolTip::showText(help->globalPos(), readoutOf(*cell), this);
    } else {
      QToolTip::hideText();
    }
    return true;
  }
  return QWidget::event(event);
}

void ImageView::choose(const Cell& cell) {
  setQuery(cell);
  Q_EMIT queryChosen(cell.row, cell.column);
}

void ImageView::setHovered(std::optional<Cell> cell) {
  if (cell == hovered_) return;
  hovered_ = cell;
  update();
  Q_EMIT hovered(cell ? cell->row : -1, cell ? cell->column : -1);
}

void ImageView::mousePressEvent(QMouseEvent* event) {
  const std::optional<Cell> cell = cellAt(event->position());
  if (event->button() == Qt::LeftButton && cell) {
    choose(*cell);
  } else {
    event->ignore();
  }
}

void ImageView::mouseMoveEvent(QMouseEvent* event) {
  const std::optional<Cell> cell = cellAt(event->position());
  setHovered(cell);
  if (event->buttons().testFlag(Qt::LeftButton) && cell && cell != query_) choose(*cell);
}

void ImageView::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || image_.isNull()) return;
  (new LargePicture(*this))->show();
}

void ImageView::leaveEvent(QEvent* /*event*/) {
  setHovered(std::nullopt);
}

void ImageView::keyPressEvent(QKeyEvent* event) {
  const int step = event->modifiers().testFlag(Qt::ControlModifier) ? kLargeStep : 1;
  Cell by;
  switch (event->key()) {
    case Qt::Key_Left:
      by.column = -step;
      break;
    case Qt::Key_Right:
      by.column = step;
      break;
    case Qt::Key_Up:
      by.row = -step;
      break;
    case Qt::Key_Down:
      by.row = step;
      break;
    default:
      return QWidget::keyPressEvent(event);
  }
  if (rows_ <= 0 || columns_ <= 0) return;
  const Cell from = query_.value_or(Cell{.row = rows_ / 2, .column = columns_ / 2});
  const Cell next{.row = std::clamp(from.row + by.row, 0, rows_ - 1),
                  .column = std::clamp(from.column + by.column, 0, columns_ - 1)};
  if (next != query_) choose(next);
}

}  // namespace lambda
