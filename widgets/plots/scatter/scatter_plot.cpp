#include "widgets/plots/scatter/scatter_plot.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <QCoreApplication>
#include <QKeyEvent>
#include <QWheelEvent>

#include "engine/values/text/text.h"
#include "widgets/export/csv_field.h"
#include "widgets/plots/axes/axis_tickers.h"
#include "widgets/plots/scatter/scatter_dots.h"
#include "widgets/qcustomplot_include.h"
#include "widgets/theme/accessible_parts.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/tool_tips.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr QSize kPreferredSize(720, 440);
constexpr QSize kSmallestSize(240, 180);
constexpr double kReach = 12;      // The greatest distance in pixels from the pointer to a point.
constexpr double kPadding = 0.07;  // Share of the range, on each side.
constexpr double kZoom = 0.82;     // The share of a range that one notch of the wheel leaves.

QCPRange rangeOf(const std::vector<double>& values, const PlotAxis& axis) {
  if (values.empty()) return {1, 10};
  const auto [low, high] = std::ranges::minmax(values);
  if (axis.logarithmic) {
    const double factor = std::max(std::pow(high / low, kPadding), 1.05);
    return {low / factor, high * factor};
  }
  const double padding =
      high > low ? (high - low) * kPadding : std::max(std::abs(high) * 0.1, 1e-6);
  const double top = high + padding;
  return {low - padding, axis.unit == ValueUnit::percent ? std::min(top, 1.005) : top};
}

}  // namespace

std::vector<std::size_t> paretoFront(const std::vector<ScatterPoint>& points, BetterValues better) {
  const auto costOf = [&](std::size_t i) {
    return better.x == Better::lower ? points[i].x : -points[i].x;
  };
  const auto scoreOf = [&](std::size_t i) {
    return better.y == Better::higher ? points[i].y : -points[i].y;
  };
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::erase_if(order, [&](std::size_t i) {
    return !std::isfinite(points[i].x) || !std::isfinite(points[i].y);
  });
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return costOf(a) != costOf(b) ? costOf(a) < costOf(b) : scoreOf(a) > scoreOf(b);
  });
  double best = -std::numeric_limits<double>::infinity();
  std::erase_if(order, [&](std::size_t i) {
    if (scoreOf(i) <= best) return true;
    best = scoreOf(i);
    return false;
  });
  return order;
}

ScatterPlot::ScatterPlot(QWidget* parent)
    : PlotView(parent), line_(plot().addGraph()), dots_(new ScatterDots(plot())) {
  describeParts(*this,
                {.count = [this] { return static_cast<int>(points_.size()); },
                 .part =
                     [this](int index) {
                       const ScatterPoint& point = points_[static_cast<std::size_t>(index)];
                       QRectF place(0, 0, 2 * kReach, 2 * kReach);
                       place.moveCenter(positionOf(point));
                       return AccessiblePart{.name = sentenceFor(point),
                                             .value = {},
                                             .place = place.toAlignedRect(),
                                             .isSelected = point.key == selected_};
                     }},
                QAccessible::Chart);
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setAccessibleName(u"Scatter of runs"_s);
  setExportName(u"scatter"_s);
  connectMouse();
  setToolTips(*this, [this](const QPoint& at) {
    const ScatterPoint* point = pointAt(at);
    return point ? sentenceFor(*point) : QString();
  });
}

void ScatterPlot::setPoints(std::vector<ScatterPoint> points) {
  if (points_ == points) return;
  points_ = std::move(points);
  fit();
}

void ScatterPlot::setAxes(const PlotAxis& x, const PlotAxis& y, BetterValues better) {
  if (x == axisOfX() && y == axisOfY() && better == better_) return;
  better_ = better;
  PlotView::setAxes(x, y);
  setExportCaption(u"%1 against %2"_s.arg(y.title, x.title));
  fit();
}

void ScatterPlot::setSelected(const std::string& key) {
  selected_ = key;
  const auto found = std::ranges::find(points_, key, &ScatterPoint::key);
  setAccessibleDescription(found == points_.end() ? QString() : sentenceFor(*found));
  updateDots();
}

QPointF ScatterPlot::positionOf(const ScatterPoint& point) const {
  redrawNow();
  return toPixels({point.x, point.y});
}

QSize ScatterPlot::exportSize() const {
  return size().expandedTo(kPreferredSize);
}

QString ScatterPlot::toCsv() const {
  if (!hasPoints()) return {};
  QString csv = u"name,"_s + csvField(axisOfX().title) + u',' + csvField(axisOfY().title) +
                u",no point is better\n"_s;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const ScatterPoint& point = points_[i];
    if (!isShown(point)) continue;
    const bool isOnFront = std::ranges::find(front_, i) != front_.end();
    csv += csvField(point.name) + u',' + QString::fromStdString(formatNumber(point.x)) + u',' +
           QString::fromStdString(formatNumber(point.y)) + (isOnFront ? u",1\n"_s : u",0\n"_s);
  }
  return csv;
}

QSize ScatterPlot::sizeHint() const {
  return kPreferredSize;
}

QSize ScatterPlot::minimumSizeHint() const {
  return kSmallestSize;
}

bool ScatterPlot::isShown(const ScatterPoint& point) const {
  return std::isfinite(point.x) && std::isfinite(point.y) &&
         (!axisOfX().logarithmic || point.x > 0) && (!axisOfY().logarithmic || point.y > 0);
}

bool ScatterPlot::hasPoints() const {
  return std::ranges::any_of(points_, [this](const ScatterPoint& point) { return isShown(point); });
}

void ScatterPlot::style(const Colors& colors, const QSize& size, Medium medium) const {
  PlotView::style(colors, size, medium);
  line_->setPen(QPen(colors.textSecondary, 1.5, Qt::DashLine));
  dots_->setLook(colors, medium == Medium::screen);
}

/// Shows all points, after these or the axes have changed.
void ScatterPlot::fit() {
  std::vector<double> xs, ys;
  for (const ScatterPoint& point : points_) {
    if (!isShown(point)) continue;
    xs.push_back(point.x);
    ys.push_back(point.y);
  }
  x().setRange(rangeOf(xs, axisOfX()));
  y().setRange(rangeOf(ys, axisOfY()));
  front_ = paretoFront(points_, better_);
  std::erase_if(front_, [this](std::size_t i) { return !isShown(points_[i]); });
  line_->data()->clear();
  for (const std::size_t i : front_) line_->addData(points_[i].x, points_[i].y);
  updateDots();
}

void ScatterPlot::updateDots() {
  std::vector<ScatterDot> dots;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const ScatterPoint& point = points_[i];
    if (!isShown(point)) continue;
    dots.push_back({.place = {point.x, point.y},
                    .name = point.name,
                    .colorIndex = point.colorIndex,
                    .isOnFront = std::ranges::find(front_, i) != front_.end(),
                    .isSelected = point.key == selected_,
                    .isHovered = point.key == hovered_});
  }
  dots_->setDots(std::move(dots));
  redraw();
}

// ---- mouse and keys ----

void ScatterPlot::connectMouse() {
  plot().setInteraction(QCP::iRangeZoom);
  plot().axisRect()->setRangeZoomFactor(kZoom);
  connect(&plot(), &QCustomPlot::mousePress, this, [this](const QMouseEvent* event) {
    const ScatterPoint* point = pointAt(event->position());
    const bool isBox = event->button() == Qt::LeftButton && !point;
    plot().setSelectionRectMode(isBox ? QCP::srmZoom : QCP::srmNone);
    if (point && event->button() == Qt::LeftButton) choose(point->key);
  });
  connect(&plot(), &QCustomPlot::mouseMove, this, [this](const QMouseEvent* event) {
    const ScatterPoint* point = event->buttons() ? nullptr : pointAt(event->position());
    hover(point ? point->key : std::string());
  });
  connect(&plot(), &QCustomPlot::mouseDoubleClick, this, [this](const QMouseEvent* event) {
    if (!pointAt(event->position())) fit();
  });
  connect(&plot(), &QCustomPlot::mouseWheel, this, [this](const QWheelEvent* event) {
    Qt::Orientations along = Qt::Horizontal | Qt::Vertical;
    if (event->modifiers().testFlag(Qt::ShiftModifier)) along = Qt::Horizontal;
    if (event->modifiers().testFlag(Qt::ControlModifier)) along = Qt::Vertical;
    plot().axisRect()->setRangeZoom(along);
  });
}

bool ScatterPlot::event(QEvent* event) {
  switch (event->type()) {
    case QEvent::MouseButtonPress:
    case QEvent::MouseButtonRelease:
    case QEvent::MouseButtonDblClick:
    case QEvent::MouseMove:
    case QEvent::Wheel:
      return QCoreApplication::sendEvent(&plot(), event);
    case QEvent::Leave:
      hover({});
      break;
    default:
      break;
  }
  return PlotView::event(event);
}

void ScatterPlot::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Left:
      return walk(-1);
    case Qt::Key_Right:
      return walk(1);
    case Qt::Key_Plus:
    case Qt::Key_Equal:
      return zoom(kZoom);
    case Qt::Key_Minus:
      return zoom(1 / kZoom);
    case Qt::Key_0:
    case Qt::Key_F:
      return fit();
    default:
      return PlotView::keyPressEvent(event);
  }
}

void ScatterPlot::zoom(double factor) {
  const QPointF middle = fromPixels(QRectF(plot().axisRect()->rect()).center());
  x().scaleRange(factor, middle.x());
  y().scaleRange(factor, middle.y());
  redraw();
}

const ScatterPoint* ScatterPlot::pointAt(const QPointF& position) const {
  const ScatterPoint* nearest = nullptr;
  double shortest = kReach;
  for (const ScatterPoint& point : points_) {
    if (!isShown(point)) continue;
    const QPointF away = toPixels({point.x, point.y}) - position;
    const double distance = std::hypot(away.x(), away.y());
    if (distance > shortest) continue;
    shortest = distance;
    nearest = &point;
  }
  return nearest;
}

QString ScatterPlot::sentenceFor(const ScatterPoint& point) const {
  return u"%1: %2 %3, %4 %5"_s.arg(point.name,
                                   axisOfY().title,
                                   tickText(axisOfY().unit, point.y),
                                   axisOfX().title,
                                   tickText(axisOfX().unit, point.x));
}

void ScatterPlot::choose(std::string key) {
  setSelected(key);
  Q_EMIT pointClicked(key);
}

void ScatterPlot::hover(const std::string& key) {
  if (hovered_ == key) return;
  hovered_ = key;
  setCursor(key.empty() ? Qt::ArrowCursor : Qt::PointingHandCursor);
  updateDots();
}

void ScatterPlot::walk(int direction) {
  std::vector<const ScatterPoint*> order;
  for (const ScatterPoint& point : points_) {
    if (isShown(point)) order.push_back(&point);
  }
  if (order.empty()) return;
  std::ranges::stable_sort(order, {}, &ScatterPoint::x);
  const auto current = std::ranges::find(order, selected_, &ScatterPoint::key);
  const auto last = static_cast<std::ptrdiff_t>(order.size()) - 1;
  std::ptrdiff_t place = current - order.begin();
  if (current == order.end()) place = direction > 0 ? -1 : last + 1;
  place = std::clamp<std::ptrdiff_t>(place + direction, 0, last);
  choose(order[static_cast<std::size_t>(place)]->key);
}

}  // namespace lambda
