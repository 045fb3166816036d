#include "widgets/plots/lines/line_plot.h"

#include <algorithm>
#include <cmath>

#include <QMouseEvent>
#include <QToolTip>

#include "widgets/qcustomplot_include.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/accessible_parts.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr double kDotSize = 6;
constexpr double kCrowdedDotSize = 3;
constexpr std::size_t kCrowd = 100;  // Dots from which on they are small.
constexpr double kHeadroom = 1.05;   // Above the greatest value.

bool isInLegend(const PlotLine& line) {
  return !line.points.empty() && !line.name.isEmpty();
}

void placeAtX(QCPItemStraightLine& line, double x) {
  line.point1->setCoords(x, 0);
  line.point2->setCoords(x, 1);
}

}  // namespace

LinePlot::LinePlot(QWidget* parent)
    : PlotView(parent),
      legend_(plot()),
      markLine_(new QCPItemStraightLine(&plot())),
      crosshair_(new QCPItemStraightLine(&plot())) {
  describeParts(
      *this,
      {.count = [this] { return static_cast<int>(lines_.size()); },
       .part = [this](int line) { return describedLine(static_cast<std::size_t>(line)); }},
      QAccessible::Chart);
  setMouseTracking(true);
  legend_.place();
  for (QCPItemStraightLine* line : {markLine_, crosshair_}) line->setVisible(false);
}

void LinePlot::setLines(std::vector<PlotLine> lines, double left, double right) {
  lines_ = std::move(lines);
  plot().clearGraphs();
  plot().legend->clearItems();
  double most = 0;
  for (const PlotLine& line : lines_) {
    QCPGraph* graph = plot().addGraph();
    for (const QPointF& point : line.points) {
      graph->addData(point.x(), point.y());
      if (std::isfinite(point.y())) most = std::max(most, point.y());
    }
    graph->setName(line.name);
    if (!isInLegend(line)) graph->removeFromLegend();
  }
  x().setRange(left, right);
  y().setRange(0, most > 0 ? kHeadroom * most : 1);
  hideReadout();
  redraw();
}

/// Its name, and its value at the mark, else at its end.
AccessiblePart LinePlot::describedLine(std::size_t index) const {
  const PlotLine& line = lines_[index];
  const QString name = line.name.isEmpty() ? accessibleName() : line.name;
  if (line.points.empty()) return {.name = name, .value = {}};
  const std::size_t point = mark_ ? nearestPoint(line, *mark_) : line.points.size() - 1;
  return {.name = name, .value = placeAt(line.points[point].x()) + u": "_s + valueAt(index, point)};
}

void LinePlot::setMark(std::optional<double> place) {
  if (mark_ == place) return;
  mark_ = place;
  if (place) placeAtX(*markLine_, *place);
  redraw();
}

bool LinePlot::hasPoints() const {
  return std::ranges::any_of(lines_, [](const PlotLine& line) { return !line.points.empty(); });
}

int LinePlot::furtherLegendHeight(int width) const {
  return legend_.furtherHeight(width);
}

void LinePlot::style(const Colors& colors, const QSize& size, Medium medium) const {
  PlotView::style(colors, size, medium);
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    const PlotLine& line = lines_[i];
    const auto index = static_cast<std::size_t>(line.colorIndex);
    const QColor color = colors.series[index % colors.series.size()];
    QCPGraph& graph = *plot().graph(static_cast<int>(i));
    graph.setPen(QPen(color, 1.6, index < colors.series.size() ? Qt::SolidLine : Qt::DashLine));
    QColor tint = color;
    tint.setAlphaF(0.1F);
    graph.setBrush(line.filled ? QBrush(tint) : QBrush(Qt::NoBrush));
    graph.setLineStyle(line.connected ? QCPGraph::lsLine : QCPGraph::lsNone);
    if (line.dotted || !line.connected) {
      const double dotSize = line.points.size() < kCrowd ? kDotSize : kCrowdedDotSize;
      graph.setScatterStyle(
          QCPScatterStyle(QCPScatterStyle::ssDisc, QPen(color), QBrush(color), dotSize));
    }
  }
  legend_.style(colors, size.width());
  markLine_->setPen(QPen(colors.textDisabled, 1));
  markLine_->setVisible(mark_ && medium == Medium::screen);
  crosshair_->setPen(QPen(colors.textDisabled, 1, Qt::DashLine));
  if (medium == Medium::file) crosshair_->setVisible(false);
}

QString LinePlot::valueAt(std::size_t line, std::size_t point) const {
  return numberText(lines_[line].points[point].y(), 4);
}

std::size_t LinePlot::nearestPoint(const PlotLine& line, double place) {
  const auto nearest = std::ranges::min_element(
      line.points, {}, [place](const QPointF& point) { return std::abs(point.x() - place); });
  return static_cast<std::size_t>(nearest - line.points.begin());
}

void LinePlot::mouseMoveEvent(QMouseEvent* event) {
  const QPointF place = fromPixels(event->position());
  if (hasPoints() && x().range().contains(place.x())) {
    const QString text = readOutAt(place.x());
    // A window of its own, because a small plot has no space for all lines of the text.
    QToolTip::showText(event->globalPosition().toPoint(), text, this);
  } else {
    hideReadout();
  }
  plot().replot(QCustomPlot::rpQueuedReplot);
  QWidget::mouseMoveEvent(event);
}

void LinePlot::leaveEvent(QEvent* event) {
  hideReadout();
  plot().replot(QCustomPlot::rpQueuedReplot);
  QWidget::leaveEvent(event);
}

/// Places the crosshair at the nearest point and returns the values there.
QString LinePlot::readOutAt(double place) {
  QStringList texts;
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    if (lines_[i].points.empty()) continue;
    const std::size_t nearest = nearestPoint(lines_[i], place);
    if (texts.isEmpty()) {
      placeAtX(*crosshair_, lines_[i].points[nearest].x());
      crosshair_->setVisible(true);
      texts << placeAt(lines_[i].points[nearest].x());
    }
    const QString value = valueAt(i, nearest);
    texts << (lines_[i].name.isEmpty() ? value : lines_[i].name + u": "_s + value);
  }
  return texts.join(u'\n');
}

void LinePlot::hideReadout() {
  if (crosshair_->visible()) QToolTip::hideText();
  crosshair_->setVisible(false);
}

}  // namespace lambda
