#include "widgets/plots/scatter_picture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include <QFontMetricsF>
#include <QPainter>
#include <QPolygonF>

#include "widgets/theme/colors.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr double kPadding = 0.07;  // Share of the range, on each side.
constexpr double kGap = 8;
constexpr double kRadius = 5;
constexpr double kTickLength = 4;

std::pair<double, double> rangeOf(const ScatterPicture& picture,
                                  double ScatterPoint::*value,
                                  bool logarithmic) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const ScatterPoint& point : picture.points) {
    if (!picture.isShown(point)) continue;
    low = std::min(low, point.*value);
    high = std::max(high, point.*value);
  }
  if (low > high) return {1, 10};
  if (logarithmic) {
    const double factor = std::max(std::pow(high / low, kPadding), 1.05);
    return {low / factor, high * factor};
  }
  const double padding =
      high > low ? (high - low) * kPadding : std::max(std::abs(high) * 0.1, 1e-6);
  return {low - padding, high + padding};
}

class Painting {
 public:
  Painting(QPainter& painter,
           const ScatterPicture& picture,
           const QSizeF& size,
           const Colors& colors)
      : painter_(painter),
        picture_(picture),
        layout_(picture, size),
        size_(size),
        colors_(colors) {}

  void all() {
    painter_.save();
    painter_.setRenderHint(QPainter::Antialiasing);
    painter_.setFont(smallFont());
    axes();
    front();
    dots();
    labels();
    painter_.restore();
  }

 private:
  void axes() {
    const QRectF& area = layout_.area();
    const double line = QFontMetricsF(smallFont()).height();
    const auto [lowX, highX] = layout_.xRange();
    const auto [lowY, highY] = layout_.yRange();
    QColor grid = colors_.hairline;
    grid.setAlphaF(0.6f);
    for (const double tick :
         ticksFor(picture_.y, lowY, highY, static_cast<int>(area.height() / 56))) {
      const double y = std::round(layout_.at(lowX, tick).y()) + 0.5;
      painter_.setPen(QPen(grid, 1));
      painter_.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
      painter_.setPen(colors_.textSecondary);
      painter_.drawText(QRectF(0, y - line / 2, area.left() - kGap, line),
                        Qt::AlignRight | Qt::AlignVCenter,
                        tickText(picture_.y, tick));
    }
    painter_.setPen(QPen(colors_.hairline, 1));
    painter_.drawLine(area.bottomLeft(), area.bottomRight());
    for (const double tick :
         ticksFor(picture_.x, lowX, highX, static_cast<int>(area.width() / 96))) {
      const double x = std::round(layout_.at(tick, lowY).x()) + 0.5;
      painter_.setPen(QPen(colors_.hairline, 1));
      painter_.drawLine(QPointF(x, area.bottom()), QPointF(x, area.bottom() + kTickLength));
      painter_.setPen(colors_.textSecondary);
      painter_.drawText(QRectF(x - 60, area.bottom() + kTickLength + 2, 120, line),
                        Qt::AlignHCenter | Qt::AlignTop,
                        tickText(picture_.x, tick));
    }
    painter_.setPen(colors_.textSecondary);
    painter_.drawText(QRectF(area.left(), size_.height() - line - 2, area.width(), line),
                      Qt::AlignHCenter | Qt::AlignBottom,
                      picture_.x.title);
    painter_.setPen(colors_.text);
    painter_.drawText(QRectF(kGap, 2, size_.width(), line), Qt::AlignLeft, picture_.y.title);
  }

  void front() {
    QPolygonF line;
    for (const std::size_t i : shownFront()) line << at(picture_.points[i]);
    if (line.size() < 2) return;
    QPen pen(colors_.textSecondary, 1.5, Qt::DashLine);
    painter_.setPen(pen);
    painter_.setBrush(Qt::NoBrush);
    painter_.drawPolyline(line);
  }

  /// Points with a colour are drawn above the others, the selected one on top.
  void dots() {
    std::vector<const ScatterPoint*> order;
    for (const ScatterPoint& point : picture_.points) {
      if (picture_.isShown(point)) order.push_back(&point);
    }
    const auto rank = [this](const ScatterPoint* point) {
      return point->key == picture_.selected ? 2 : point->colorIndex >= 0 ? 1 : 0;
    };
    std::stable_sort(order.begin(), order.end(), [&](const ScatterPoint* a, const ScatterPoint* b) {
      return rank(a) < rank(b);
    });
    for (const ScatterPoint* point : order) dot(*point);
  }

  void dot(const ScatterPoint& point) {
    const bool isChosen = point.key == picture_.selected;
    const double radius = point.key == picture_.hovered || isChosen ? kRadius + 1.5 : kRadius;
    if (isChosen) {
      painter_.setPen(QPen(colors_.accent, 2));
      painter_.setBrush(Qt::NoBrush);
      painter_.drawEllipse(at(point), radius + 3.5, radius + 3.5);
    }
    painter_.setPen(QPen(colors_.page, 1));
    painter_.setBrush(colorOf(point));
    painter_.drawEllipse(at(point), radius, radius);
  }

  /// The names of the marked points and of those on the front, where there is space.
  void labels() {
    const QFontMetricsF metrics(smallFont());
    std::vector<QRectF> taken{
        QRectF(kGap, 0, metrics.horizontalAdvance(picture_.y.title), metrics.height() + 4)};
    for (const ScatterPoint& point : picture_.points) {
      if (!picture_.isShown(point)) continue;
      const QPointF place = at(point);
      taken.emplace_back(place.x() - kRadius, place.y() - kRadius, 2 * kRadius, 2 * kRadius);
    }
    std::vector<const ScatterPoint*> wanted;
    for (const ScatterPoint& point : picture_.points) {
      const bool isMarked = point.key == picture_.selected || point.key == picture_.hovered;
      if (isMarked && picture_.isShown(point)) wanted.push_back(&point);
    }
    const std::size_t inHand = wanted.size();
    for (const std::size_t i : shownFront()) {
      const ScatterPoint* point = &picture_.points[i];
      if (std::find(wanted.begin(), wanted.end(), point) == wanted.end()) wanted.push_back(point);
    }
    for (std::size_t i = 0; i < wanted.size(); ++i) label(*wanted[i], i < inHand, taken);
  }

  /// A name stands above the line of the front, or below it where the line before would cross it.
  void label(const ScatterPoint& point, bool isMarked, std::vector<QRectF>& taken) {
    const QFontMetricsF metrics(smallFont());
    const QSizeF box(metrics.horizontalAdvance(point.name) + 4, metrics.height());
    const QPointF place = at(point);
    const double away = kRadius + 6;
    const QPointF upperLeft(place.x() - kRadius - box.width(), place.y() - kRadius - box.height());
    const QPointF lowerRight(place.x() + kRadius, place.y() + kRadius);
    const QPointF right(place.x() + away, place.y() - box.height() / 2);
    const QPointF left(place.x() - away - box.width(), place.y() - box.height() / 2);
    const QRectF page(QPointF(), size_);
    const std::array corners = isMarked ? std::array{right, left, upperLeft, lowerRight}
                                        : std::array{upperLeft, lowerRight, left, right};
    for (const QPointF& corner : corners) {
      const QRectF rect(corner, box);
      const bool isFree =
          page.contains(rect) && std::none_of(taken.begin(), taken.end(), [&](const QRectF& other) {
            return other.intersects(rect);
          });
      if (!isFree) continue;
      taken.push_back(rect);
      painter_.setPen(isMarked ? colors_.text : colors_.textSecondary);
      painter_.drawText(rect, Qt::AlignCenter, point.name);
      return;
    }
  }

  std::vector<std::size_t> shownFront() const {
    std::vector<std::size_t> front = paretoFront(picture_.points);
    std::erase_if(front, [this](std::size_t i) { return !picture_.isShown(picture_.points[i]); });
    return front;
  }

  QPointF at(const ScatterPoint& point) const { return layout_.at(point.x, point.y); }

  QColor colorOf(const ScatterPoint& point) const {
    if (point.colorIndex < 0) return colors_.textDisabled;
    return colors_.series[static_cast<std::size_t>(point.colorIndex) % colors_.series.size()];
  }

  QPainter& painter_;
  const ScatterPicture& picture_;
  ScatterLayout layout_;
  QSizeF size_;
  const Colors& colors_;
};

}  // namespace

std::vector<std::size_t> paretoFront(const std::vector<ScatterPoint>& points) {
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::erase_if(order, [&](std::size_t i) {
    return !std::isfinite(points[i].x) || !std::isfinite(points[i].y);
  });
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return points[a].x != points[b].x ? points[a].x < points[b].x : points[a].y > points[b].y;
  });
  double best = -std::numeric_limits<double>::infinity();
  std::erase_if(order, [&](std::size_t i) {
    if (points[i].y <= best) return true;
    best = points[i].y;
    return false;
  });
  return order;
}

bool ScatterPicture::isShown(const ScatterPoint& point) const {
  return std::isfinite(point.x) && std::isfinite(point.y) && (!x.logarithmic || point.x > 0) &&
         (!y.logarithmic || point.y > 0);
}

bool ScatterPicture::hasPoints() const {
  return std::any_of(
      points.begin(), points.end(), [this](const ScatterPoint& point) { return isShown(point); });
}

ScatterLayout::ScatterLayout(const ScatterPicture& picture, const QSizeF& size)
    : x_(rangeOf(picture, &ScatterPoint::x, picture.x.logarithmic)),
      y_(rangeOf(picture, &ScatterPoint::y, picture.y.logarithmic)),
      logarithmicX_(picture.x.logarithmic),
      logarithmicY_(picture.y.logarithmic) {
  if (picture.y.unit == ScatterUnit::percent && !logarithmicY_)
    y_.second = std::min(y_.second, 1.005);
  const QFontMetricsF metrics(smallFont());
  const double left = metrics.horizontalAdvance(u"00.00 %"_s) + 2 * kGap;
  const double top = metrics.height() + kGap;
  const double bottom = 2 * metrics.height() + kGap + kTickLength;
  area_ = QRectF(left,
                 top,
                 std::max(1.0, size.width() - left - 2 * kGap),
                 std::max(1.0, size.height() - top - bottom));
}

QPointF ScatterLayout::at(double x, double y) const {
  const auto share = [](double value, std::pair<double, double> range, bool logarithmic) {
    if (!logarithmic) return (value - range.first) / (range.second - range.first);
    return std::log(value / range.first) / std::log(range.second / range.first);
  };
  return {area_.left() + share(x, x_, logarithmicX_) * area_.width(),
          area_.bottom() - share(y, y_, logarithmicY_) * area_.height()};
}

void paintScatter(QPainter& painter,
                  const ScatterPicture& picture,
                  const QSizeF& size,
                  const Colors& colors) {
  if (picture.hasPoints()) Painting(painter, picture, size, colors).all();
}

}  // namespace lambda
