#include "widgets/pictures/scaled_text.h"

#include <algorithm>

#include <QFontMetricsF>
#include <QPainter>

#include "widgets/theme/typography.h"

namespace lambda {

void paintFitting(QPainter& painter, const QRectF& area, const QString& text, double leastScale) {
  if (area.width() <= 0) return;
  const QFontMetricsF metrics(painter.font());
  const double needed = metrics.horizontalAdvance(text) + 1;
  const double scale = std::clamp(area.width() / needed, leastScale, 1.0);
  const double width = area.width() / scale;
  painter.save();
  painter.translate(area.left(), area.center().y());
  painter.scale(scale, scale);
  painter.drawText(QRectF(0, -area.height() / 2, width, area.height()),
                   Qt::AlignLeft | Qt::AlignVCenter | Qt::TextDontClip,
                   needed > width ? metrics.elidedText(text, Qt::ElideMiddle, width) : text);
  painter.restore();
}

double smallLineHeight() {
  return QFontMetricsF(smallFont()).height();
}

}  // namespace lambda
