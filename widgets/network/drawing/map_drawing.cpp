#include "widgets/network/drawing/map_drawing.h"

#include <algorithm>
#include <cmath>

#include <QPainter>
#include <QPolygonF>

#include "widgets/theme/colors.h"

namespace lambda {

namespace {

constexpr int kLargestGrid = 16;

double sideOf(int pixels) {
  return 8 + 7.4 * std::log2(std::max(pixels, 1));
}

double depthOf(int channels) {
  return 4 + 3.2 * std::log2(std::max(channels, 1));
}

void drawGrid(QPainter& painter, const QRectF& front, const MapShape& map) {
  for (int x = 1; x < map.width; ++x) {
    const double at = front.left() + front.width() * x / map.width;
    painter.drawLine(QPointF(at, front.top()), QPointF(at, front.bottom()));
  }
  for (int y = 1; y < map.height; ++y) {
    const double at = front.top() + front.height() * y / map.height;
    painter.drawLine(QPointF(front.left(), at), QPointF(front.right(), at));
  }
}

}  // namespace

QColor meanOf(const std::vector<QColor>& colors) {
  double red = 0, green = 0, blue = 0;
  for (const QColor& color : colors) {
    red += color.red();
    green += color.green();
    blue += color.blue();
  }
  const auto mean = [&](double sum) {
    return static_cast<int>(std::lround(sum / static_cast<double>(colors.size())));
  };
  return {mean(red), mean(green), mean(blue)};
}

void drawMap(QPainter& painter,
             const QRectF& box,
             const MapShape& map,
             const QColor& ink,
             const QColor& ground,
             double scale) {
  const QPointF perspective(0.78, -0.5);
  QPointF back = perspective * depthOf(map.channels) * scale;
  QSizeF size(sideOf(map.width) * scale, sideOf(map.height) * scale);
  const double fit = std::min(
      {1.0, box.width() / (size.width() + back.x()), box.height() / (size.height() - back.y())});
  back *= fit;
  size *= fit;
  QRectF front(QPointF(), size);
  front.moveCenter(box.center() - back / 2);

  const QPolygonF top(
      {front.topLeft(), front.topLeft() + back, front.topRight() + back, front.topRight()});
  const QPolygonF side(
      {front.topRight(), front.topRight() + back, front.bottomRight() + back, front.bottomRight()});
  painter.save();
  painter.setPen(QPen(blended(ground, ink, 0.75), 1, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  painter.setBrush(blended(ground, ink, 0.32));
  painter.drawPolygon(top);
  painter.setBrush(blended(ground, ink, 0.48));
  painter.drawPolygon(side);
  painter.setBrush(blended(ground, ink, 0.16));
  painter.drawRect(front);
  if (std::max(map.width, map.height) <= kLargestGrid) {
    painter.setPen(QPen(blended(ground, ink, 0.38), 0.75));
    drawGrid(painter, front, map);
  }
  painter.restore();
}

}  // namespace lambda
