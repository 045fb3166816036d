#include "app/studio/tour/tour_frame.h"

#include <QPainter>

#include "widgets/theme/colors.h"

namespace lambda {

namespace {

constexpr int kFrameWidth = 3;
constexpr int kFrameGap = 2;
constexpr int kFrameRadius = 8;

}  // namespace

TourFrame::TourFrame(QWidget& window) : QWidget(&window) {
  setObjectName(QStringLiteral("tourFrame"));
  setAttribute(Qt::WA_TransparentForMouseEvents);
  setFocusPolicy(Qt::NoFocus);
}

void TourFrame::surround(const QRect& place) {
  if (place.isEmpty()) {
    hide();
    return;
  }
  const int margin = kFrameWidth + kFrameGap;
  const QRect wanted =
      place.adjusted(-margin, -margin, margin, margin).intersected(parentWidget()->rect());
  if (isVisible() && geometry() == wanted) return;
  setGeometry(wanted);
  show();
  raise();
}

void TourFrame::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(colorsOf(*this).accent, kFrameWidth));
  const double inset = kFrameWidth / 2.0;
  painter.drawRoundedRect(
      QRectF(rect()).adjusted(inset, inset, -inset, -inset), kFrameRadius, kFrameRadius);
}

}  // namespace lambda
