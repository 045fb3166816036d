#include "app/experiments/experiment_sketch.h"

#include <array>

#include <QPainter>
#include <QPolygonF>
#include <QWidget>

#include "widgets/theme/colors.h"

namespace lambda {

namespace {

constexpr int kSide = 32;

void drawEffects(QPainter& painter, const Colors& colors) {
  painter.setPen(QPen(colors.textSecondary, 1, Qt::DashLine));
  painter.drawLine(12, 4, 12, 28);
  constexpr std::array<double, 3> kMeans{12, 20, 16};
  painter.setPen(QPen(colors.series[0], 1.5));
  painter.setBrush(colors.series[0]);
  double y = 8;
  for (const double mean : kMeans) {
    painter.drawLine(QPointF(mean - 5, y), QPointF(mean + 5, y));
    painter.drawEllipse(QPointF(mean, y), 1.8, 1.8);
    y += 8;
  }
}

void drawSweep(QPainter& painter, const Colors& colors) {
  const QPolygonF line{{{4, 24}, {10, 14}, {16, 8}, {22, 11}, {28, 22}}};
  painter.setPen(QPen(colors.series[0], 1.5));
  painter.setBrush(Qt::NoBrush);
  painter.drawPolyline(line);
  painter.setBrush(colors.series[0]);
  for (const QPointF& point : line) painter.drawEllipse(point, 1.6, 1.6);
}

void drawHeatMap(QPainter& painter, const Colors& colors) {
  constexpr std::array<float, 9> kShades{0.2F, 0.4F, 0.3F, 0.5F, 1, 0.7F, 0.3F, 0.7F, 0.5F};
  painter.setPen(Qt::NoPen);
  for (std::size_t i = 0; i < kShades.size(); ++i) {
    QColor color = colors.series[0];
    color.setAlphaF(kShades[i]);
    painter.setBrush(color);
    painter.drawRect(
        QRectF(5 + 8.0 * static_cast<double>(i % 3), 5 + 8.0 * static_cast<double>(i / 3), 7, 7));
  }
}

void drawTheory(QPainter& painter, const Colors& colors) {
  painter.setBrush(Qt::NoBrush);
  for (std::size_t i = 0; i < 3; ++i) {
    const double top = 8 + 6.0 * static_cast<double>(i);
    painter.setPen(QPen(colors.series[i], 1.5));
    painter.drawPolyline(
        QPolygonF{{{4, 26}, {12, 26}, {16, (top + 26) / 2}, {20, top}, {28, top}}});
  }
}

}  // namespace

QPixmap sketchOf(SketchKind kind, const QWidget& widget) {
  const double ratio = widget.devicePixelRatioF();
  QPixmap picture(qRound(kSide * ratio), qRound(kSide * ratio));
  picture.setDevicePixelRatio(ratio);
  picture.fill(Qt::transparent);
  QPainter painter(&picture);
  painter.setRenderHint(QPainter::Antialiasing);
  const Colors& colors = colorsOf(widget);
  switch (kind) {
    case SketchKind::effects:
      drawEffects(painter, colors);
      break;
    case SketchKind::sweep:
      drawSweep(painter, colors);
      break;
    case SketchKind::heatMap:
      drawHeatMap(painter, colors);
      break;
    case SketchKind::theory:
      drawTheory(painter, colors);
      break;
  }
  return picture;
}

}  // namespace lambda
