// Pointer, wheel and key events of an image grid.

#include <algorithm>

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>

#include "widgets/pictures/images/image_grid.h"

using namespace Qt::StringLiterals;

namespace lambda {

bool ImageGrid::viewportEvent(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const int place = placeAt(help->pos());
    if (place < 0) {
      QToolTip::hideText();
    } else {
      const GridImage& shown = shown_[static_cast<std::size_t>(place)];
      QToolTip::showText(help->globalPos(), u"%1: %2"_s.arg(shown.index).arg(shown.caption), this);
    }
    return true;
  }
  return QAbstractScrollArea::viewportEvent(event);
}

void ImageGrid::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) {
    choose(placeAt(event->position().toPoint()));
  } else {
    event->ignore();
  }
}

void ImageGrid::wheelEvent(QWheelEvent* event) {
  if (arrangement_ == Arrangement::rows) return QAbstractScrollArea::wheelEvent(event);
  const QPoint by = event->angleDelta();
  QScrollBar* bar = horizontalScrollBar();
  bar->setValue(bar->value() - (by.y() != 0 ? by.y() : by.x()));
  event->accept();
}

void ImageGrid::keyPressEvent(QKeyEvent* event) {
  const int count = static_cast<int>(shown_.size()), columns = columnCount();
  const int page = arrangement_ == Arrangement::strip
                       ? std::max(1, viewport()->width() / cellSize().width())
                       : columns * std::max(1, viewport()->height() / cellSize().height());
  const bool isRows = arrangement_ == Arrangement::rows;
  int next = current_;
  switch (event->key()) {
    case Qt::Key_Left:
      next -= 1;
      break;
    case Qt::Key_Right:
      next += 1;
      break;
    case Qt::Key_Up:
      next -= isRows ? columns : 0;
      break;
    case Qt::Key_Down:
      next += isRows ? columns : 0;
      break;
    case Qt::Key_PageUp:
      next -= page;
      break;
    case Qt::Key_PageDown:
      next += page;
      break;
    case Qt::Key_Home:
      next = 0;
      break;
    case Qt::Key_End:
      next = count - 1;
      break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space:
      return choose(current_);
    default:
      return QWidget::keyPressEvent(event);
  }
  if (count == 0) return;
  next = std::clamp(next, 0, count - 1);
  if (next != current_) choose(next);
}

}  // namespace lambda
