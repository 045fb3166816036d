#include <algorithm>
#include <cmath>

#include <QKeyEvent>
#include <QMouseEvent>

#include "widgets/plots/intervals/interval_plot.h"
#include "widgets/qcustomplot_include.h"

namespace lambda {

namespace {

constexpr double kPointReach = 10;  // The greatest distance in pixels from the pointer to a point.

double lengthOf(const QPointF& vector) {
  return std::hypot(vector.x(), vector.y());
}

/// The distance of a place from the line between two others.
double distanceFromLine(const QPointF& place, const QPointF& begin, const QPointF& end) {
  const QPointF along = end - begin;
  const double square = QPointF::dotProduct(along, along);
  const double share =
      square > 0 ? std::clamp(QPointF::dotProduct(place - begin, along) / square, 0.0, 1.0) : 0;
  return lengthOf(place - begin - share * along);
}

}  // namespace

/// The nearest mean; a run only where it is nearer. Between two points of a line, that which is
/// nearer.
std::optional<IntervalPlot::Place> IntervalPlot::placeAt(const QPointF& position) const {
  std::optional<Place> nearest;
  double shortest = kPointReach;
  const auto take = [&](const Place& place, double distance) {
    if (distance >= shortest) return;
    shortest = distance;
    nearest = place;
  };
  for (std::size_t line = 0; line < lines_.size(); ++line) {
    const auto& points = lines_[line].points;
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (!isShown(points[i])) continue;
      const Place mean{line, i, {}};
      const QPointF at = toPixels(coordinatesOf(mean));
      take(mean, lengthOf(at - position));
      if (i > 0 && isShown(points[i - 1])) {
        const Place before{line, i - 1, {}};
        const QPointF from = toPixels(coordinatesOf(before));
        const bool isBefore = lengthOf(from - position) < lengthOf(at - position);
        // The line itself counts a little further away than its points.
        take(isBefore ? before : mean, distanceFromLine(position, from, at) + kPointReach / 4);
      }
      if (look_ != IntervalLook::bars || !areRunsVisible_) continue;
      for (std::size_t run = 0; run < points[i].runs.size(); ++run) {
        const Place place{line, i, run};
        take(place, lengthOf(toPixels(coordinatesOf(place)) - position));
      }
    }
  }
  return nearest;
}

void IntervalPlot::setCurrent(std::optional<Place> place) {
  current_ = place;
  if (place) {
    const QPointF at = coordinatesOf(*place);
    const QString text = sentenceFor(*place);
    setAccessibleDescription(text);
    readout_->setText(text);
    // On the side of the point that has more space.
    const bool isLeft = toPixels(at).x() > plot().axisRect()->rect().center().x();
    readout_->setPositionAlignment((isLeft ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignTop);
    readout_->position->setCoords(at.x(), 0);
  }
  redraw();
}

void IntervalPlot::request(const Place& place) {
  const IntervalPoint& point = pointAt(place);
  if (place.run) {
    Q_EMIT runClicked(point.runs[*place.run].run);
  } else {
    Q_EMIT meanClicked(point.key);
  }
}

void IntervalPlot::mouseMoveEvent(QMouseEvent* event) {
  const auto place = placeAt(event->position());
  setCursor(place ? Qt::PointingHandCursor : Qt::ArrowCursor);
  if (place != current_) setCurrent(place);
  PlotView::mouseMoveEvent(event);
}

void IntervalPlot::mousePressEvent(QMouseEvent* event) {
  const auto place = placeAt(event->position());
  if (event->button() != Qt::LeftButton || !place) return PlotView::mousePressEvent(event);
  setCurrent(place);
  request(*place);
}

void IntervalPlot::leaveEvent(QEvent* event) {
  if (!hasFocus()) setCurrent({});
  PlotView::leaveEvent(event);
}

void IntervalPlot::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Left:
      return walk(0, -1);
    case Qt::Key_Right:
      return walk(0, 1);
    case Qt::Key_Up:
      return walk(-1, 0);
    case Qt::Key_Down:
      return walk(1, 0);
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (current_) request(*current_);
      return;
    default:
      return PlotView::keyPressEvent(event);
  }
}

/// Moves to another line and along its points; from nowhere to the first.
void IntervalPlot::walk(int lines, int points) {
  if (!hasPoints()) return;
  const auto moved = [](std::size_t from, int by, std::size_t count) {
    const auto last = static_cast<std::ptrdiff_t>(count) - 1;
    return static_cast<std::size_t>(
        std::clamp<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(from) + by, 0, last));
  };
  Place place;
  if (current_) {
    place.line = moved(current_->line, lines, lines_.size());
    place.point = current_->point;
  }
  // Lines without points are stepped over.
  const int step = lines < 0 ? -1 : 1;
  while (lines_[place.line].points.empty()) {
    const std::size_t next = moved(place.line, step, lines_.size());
    if (next == place.line) return;
    place.line = next;
  }
  place.point = moved(place.point, current_ ? points : 0, lines_[place.line].points.size());
  setCurrent(place);
}

}  // namespace lambda
