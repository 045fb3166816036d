#include "widgets/theme/fitted_area.h"

#include <algorithm>

#include <QEvent>
#include <QLayout>
#include <QScrollBar>

namespace lambda {

FittedArea::FittedArea(QWidget& content, bool sideways, QWidget* parent)
    : QScrollArea(parent), isSideways_(sideways) {
  setFrameShape(QFrame::NoFrame);
  if (!sideways) setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setFocusPolicy(Qt::NoFocus);
  setWidget(&content);
  content.installEventFilter(this);
}

int FittedArea::leastHeight(int width) const {
  const QLayout* layout = isSideways_ ? nullptr : widget()->layout();
  return layout && layout->hasHeightForWidth()
             ? layout->totalMinimumHeightForWidth(width)
             : std::max(widget()->minimumSizeHint().height(), widget()->minimumHeight());
}

void FittedArea::fit() {
  const int least = std::max(widget()->minimumSizeHint().width(), widget()->minimumWidth());
  QSize space = maximumViewportSize();
  if (leastHeight(space.width()) > space.height()) {
    space.rwidth() -= verticalScrollBar()->sizeHint().width();
  }
  if (isSideways_ && least > space.width()) {
    space.rheight() -= horizontalScrollBar()->sizeHint().height();
  }
  const int width = std::max(space.width(), least);
  widget()->resize(width, std::max(space.height(), leastHeight(width)));
}

void FittedArea::resizeEvent(QResizeEvent* event) {
  QScrollArea::resizeEvent(event);
  fit();
}

QSize FittedArea::minimumSizeHint() const {
  const QSize least = QScrollArea::minimumSizeHint();
  if (isSideways_) return least;
  return {widget()->minimumSizeHint().width() + verticalScrollBar()->sizeHint().width(),
          least.height()};
}

bool FittedArea::eventFilter(QObject* watched, QEvent* event) {
  if (watched == widget() && event->type() == QEvent::LayoutRequest) {
    if (!isSideways_) updateGeometry();
    fit();
  }
  return QScrollArea::eventFilter(watched, event);
}

}  // namespace lambda
