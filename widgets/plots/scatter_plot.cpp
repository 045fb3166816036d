#include "widgets/plots/scatter_plot.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include "engine/values/text/text.h"
#include "widgets/export/csv_field.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr QSize kPreferredSize(720, 440);
constexpr QSize kSmallestSize(240, 180);
/// The greatest distance in pixels from the pointer to a point.
constexpr double kReach = 12;

}  // namespace

ScatterPlot::ScatterPlot(QWidget* parent) : QWidget(parent) {
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setAccessibleName(tr("Scatter of runs"));
}

void ScatterPlot::setPoints(std::vector<ScatterPoint> points) {
  if (picture_.points == points) return;
  picture_.points = std::move(points);
  update();
}

void ScatterPlot::setAxes(const ScatterAxis& x, const ScatterAxis& y) {
  picture_.x = x;
  picture_.y = y;
  update();
}

void ScatterPlot::setSelected(const std::string& key) {
  picture_.selected = key;
  const auto found = std::find_if(picture_.points.begin(),
                                  picture_.points.end(),
                                  [&](const ScatterPoint& point) { return point.key == key; });
  setAccessibleDescription(found == picture_.points.end() ? QString() : sentenceFor(*found));
  update();
}

void ScatterPlot::setEmptyText(const QString& text) {
  emptyText_ = text;
  update();
}

QPointF ScatterPlot::positionOf(const ScatterPoint& point) const {
  return ScatterLayout(picture_, size()).at(point.x, point.y);
}

QString ScatterPlot::exportName() const {
  return u"scatter"_s;
}

QSize ScatterPlot::exportSize() const {
  return size().expandedTo(kPreferredSize);
}

void ScatterPlot::paintTo(QPainter& painter, const QSize& size, const Colors& colors) const {
  ScatterPicture picture = picture_;
  picture.hovered.clear();
  picture.selected.clear();
  paintScatter(painter, picture, size, colors);
}

QString ScatterPlot::toCsv() const {
  if (!picture_.hasPoints()) return {};
  const std::vector<std::size_t> front = paretoFront(picture_.points);
  QString csv = u"name,"_s + csvField(picture_.x.title) + u',' + csvField(picture_.y.title) +
                u",no point is better\n"_s;
  for (std::size_t i = 0; i < picture_.points.size(); ++i) {
    const ScatterPoint& point = picture_.points[i];
    if (!picture_.isShown(point)) continue;
    const bool isOnFront = std::find(front.begin(), front.end(), i) != front.end();
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

bool ScatterPlot::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  if (const ScatterPoint* point = pointAt(help->pos())) {
    QToolTip::showText(help->globalPos(), sentenceFor(*point), this);
  } else {
    QToolTip::hideText();
  }
  return true;
}

void ScatterPlot::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  const Colors& colors = colorsOf(*this);
  if (picture_.hasPoints()) {
    paintScatter(painter, picture_, size(), colors);
    return;
  }
  painter.setFont(bodyFont());
  painter.setPen(colors.textSecondary);
  painter.drawText(
      rect().adjusted(16, 16, -16, -16), Qt::AlignCenter | Qt::TextWordWrap, emptyText_);
}

void ScatterPlot::mouseMoveEvent(QMouseEvent* event) {
  const ScatterPoint* point = pointAt(event->position());
  hover(point ? point->key : std::string());
}

void ScatterPlot::mousePressEvent(QMouseEvent* event) {
  const ScatterPoint* point = pointAt(event->position());
  if (event->button() != Qt::LeftButton || !point) return QWidget::mousePressEvent(event);
  const std::string key = point->key;
  setSelected(key);
  Q_EMIT pointClicked(key);
}

void ScatterPlot::leaveEvent(QEvent* event) {
  hover({});
  QWidget::leaveEvent(event);
}

void ScatterPlot::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Left) return walk(-1);
  if (event->key() == Qt::Key_Right) return walk(1);
  QWidget::keyPressEvent(event);
}

const ScatterPoint* ScatterPlot::pointAt(const QPointF& position) const {
  const ScatterLayout layout(picture_, size());
  const ScatterPoint* nearest = nullptr;
  double shortest = kReach;
  for (const ScatterPoint& point : picture_.points) {
    if (!picture_.isShown(point)) continue;
    const QPointF away = layout.at(point.x, point.y) - position;
    const double distance = std::hypot(away.x(), away.y());
    if (distance > shortest) continue;
    shortest = distance;
    nearest = &point;
  }
  return nearest;
}

QString ScatterPlot::sentenceFor(const ScatterPoint& point) const {
  return tr("%1: %2 %3, %4 %5")
      .arg(point.name,
           picture_.y.title,
           tickText(picture_.y, point.y),
           picture_.x.title,
           tickText(picture_.x, point.x));
}

void ScatterPlot::hover(const std::string& key) {
  if (picture_.hovered == key) return;
  picture_.hovered = key;
  setCursor(key.empty() ? Qt::ArrowCursor : Qt::PointingHandCursor);
  update();
}

void ScatterPlot::walk(int direction) {
  std::vector<const ScatterPoint*> order;
  for (const ScatterPoint& point : picture_.points) {
    if (picture_.isShown(point)) order.push_back(&point);
  }
  if (order.empty()) return;
  std::stable_sort(order.begin(), order.end(), [](const ScatterPoint* a, const ScatterPoint* b) {
    return a->x < b->x;
  });
  const auto current = std::find_if(order.begin(), order.end(), [this](const ScatterPoint* point) {
    return point->key == picture_.selected;
  });
  auto place = current == order.end()
                   ? (direction > 0 ? -1 : static_cast<std::ptrdiff_t>(order.size()))
                   : current - order.begin();
  place = std::clamp<std::ptrdiff_t>(
      place + direction, 0, static_cast<std::ptrdiff_t>(order.size()) - 1);
  const std::string key = order[static_cast<std::size_t>(place)]->key;
  setSelected(key);
  Q_EMIT pointClicked(key);
}

}  // namespace lambda
