#include "widgets/plots/scatter/scatter_dots.h"

#include <algorithm>
#include <array>

#include <QFontMetricsF>

#include "widgets/theme/colors.h"
#include "widgets/theme/typography.h"

namespace lambda {

namespace {

/// More names than these would hide the picture.
constexpr std::size_t kMostNamed = 16;

}  // namespace

void ScatterDots::setDots(std::vector<ScatterDot> dots) {
  dots_ = std::move(dots);
  const auto rank = [](const ScatterDot& dot) {
    return dot.isSelected ? 2 : dot.colorIndex >= 0 ? 1 : 0;
  };
  std::ranges::stable_sort(dots_, {}, rank);
}

void ScatterDots::setLook(const Colors& colors, bool hasMarks) {
  colors_ = &colors;
  hasMarks_ = hasMarks;
}

void ScatterDots::applyDefaultAntialiasingHint(QCPPainter* painter) const {
  painter->setAntialiasing(true);
}

void ScatterDots::draw(QCPPainter* painter) {
  if (!colors_) return;
  painter->save();
  painter->setClipRect(parentPlot()->axisRect()->rect().adjusted(-10, -10, 10, 10));
  for (const ScatterDot& dot : dots_) drawDot(*painter, dot);
  painter->restore();
  drawNames(*painter);
}

void ScatterDots::drawDot(QCPPainter& painter, const ScatterDot& dot) const {
  const QPointF pixel = pixelOf(dot);
  const double radius = isMarked(dot) ? kRadius + 1.5 : kRadius;
  if (dot.isSelected && hasMarks_) {
    painter.setPen(QPen(colors_->accent, 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawEllipse(pixel, radius + 3.5, radius + 3.5);
  }
  painter.setPen(QPen(colors_->page, 1));
  painter.setBrush(
      dot.colorIndex < 0
          ? colors_->textDisabled
          : colors_->series[static_cast<std::size_t>(dot.colorIndex) % colors_->series.size()]);
  painter.drawEllipse(pixel, radius, radius);
}

void ScatterDots::drawNames(QCPPainter& painter) const {
  painter.setFont(smallFont());
  std::vector<QRectF> taken;
  for (const ScatterDot& dot : dots_) {
    const QPointF pixel = pixelOf(dot);
    taken.emplace_back(pixel.x() - kRadius, pixel.y() - kRadius, 2 * kRadius, 2 * kRadius);
  }
  for (const ScatterDot& dot : dots_) {
    if (isMarked(dot)) drawName(painter, dot, taken);
  }
  for (const bool areOnFront : {true, false}) {
    if (!areOnFront && dots_.size() > kMostNamed) return;
    for (const ScatterDot& dot : dots_) {
      if (dot.isOnFront == areOnFront && !isMarked(dot)) drawName(painter, dot, taken);
    }
  }
}

/// A name stands above the line of the front, or below it where the line before would cross it.
void ScatterDots::drawName(QCPPainter& painter,
                           const ScatterDot& dot,
                           std::vector<QRectF>& taken) const {
  const QRectF plot = parentPlot()->viewport();
  const QPointF pixel = pixelOf(dot);
  if (!parentPlot()->axisRect()->rect().contains(pixel.toPoint())) return;
  const QFontMetricsF metrics(smallFont());
  const QSizeF box(metrics.horizontalAdvance(dot.name) + 4, metrics.height());
  const double away = kRadius + 6;
  const QPointF upperLeft(pixel.x() - kRadius - box.width(), pixel.y() - kRadius - box.height());
  const QPointF lowerRight(pixel.x() + kRadius, pixel.y() + kRadius);
  const QPointF right(pixel.x() + away, pixel.y() - box.height() / 2);
  const QPointF left(pixel.x() - away - box.width(), pixel.y() - box.height() / 2);
  const std::array corners = isMarked(dot) ? std::array{right, left, upperLeft, lowerRight}
                                           : std::array{upperLeft, lowerRight, left, right};
  for (const QPointF& corner : corners) {
    const QRectF rect(corner, box);
    const auto covers = [&rect](const QRectF& other) { return other.intersects(rect); };
    if (!plot.contains(rect) || std::ranges::any_of(taken, covers)) continue;
    taken.push_back(rect);
    painter.setPen(isMarked(dot) ? colors_->text : colors_->textSecondary);
    painter.drawText(rect, Qt::AlignCenter, dot.name);
    return;
  }
}

bool ScatterDots::isMarked(const ScatterDot& dot) const {
  return hasMarks_ && (dot.isSelected || dot.isHovered);
}

QPointF ScatterDots::pixelOf(const ScatterDot& dot) const {
  return {parentPlot()->xAxis->coordToPixel(dot.place.x()),
          parentPlot()->yAxis->coordToPixel(dot.place.y())};
}

}  // namespace lambda
