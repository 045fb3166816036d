#include "widgets/plots/curves/curve_scene.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "widgets/plots/axes/axis_text.h"
#include "widgets/plots/axes/axis_tickers.h"
#include "widgets/plots/axes/plot_style.h"
#include "widgets/qcustomplot_include.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kRawOpacity = 0.28;
constexpr double kCrowdedOpacity = 0.16;  // Strokes side by side are darker than a single one.
constexpr double kPixelsPerDot = 8;
constexpr double kDimOpacity = 0.22;
constexpr double kLineWidth = 1.6;
constexpr double kCasing = 1;  // On each side of a line.
constexpr int kGapBetweenPanels = 6;
constexpr int kTitleHeight = 26;

QColor faded(QColor color, double opacity) {
  color.setAlphaF(static_cast<float>(color.alphaF() * opacity));
  return color;
}

QSharedPointer<QCPGraphDataContainer> containerOf(const std::vector<PlotPoint>& points) {
  QVector<QCPGraphData> data;
  data.reserve(static_cast<qsizetype>(points.size()));
  for (const PlotPoint& point : points) data.append(QCPGraphData(point.x, point.y));
  auto container = QSharedPointer<QCPGraphDataContainer>::create();
  container->set(data, true);
  return container;
}

/// A value that a logarithmic axis can't show becomes a gap.
void dropNotPositive(std::vector<PlotPoint>& points) {
  for (PlotPoint& point : points) {
    if (!(point.y > 0)) point.y = kNaN;
  }
}

constexpr double kHitPixels = 6;
constexpr double kEdgeMargin = 0.02;  // Share of the height: lines along 0 or 100 % are whole.
constexpr double kEndMargin = 0.01;   // Share of the width: the first and last dots are whole.

// On the screen QCustomPlot draws a line stroke by stroke, so that half transparent strokes add up
// where they meet. In files it would draw a path, in which they do not.

bool needsStrokes(const QCPPainter& painter) {
  return painter.modes().testFlag(QCPPainter::pmNoCaching) && painter.pen().color().alpha() < 255 &&
         painter.pen().style() == Qt::SolidLine;
}

void drawStrokes(QCPPainter& painter, const QVector<QPointF>& points) {
  const auto isPlace = [](const QPointF& p) {
    return std::isfinite(p.x()) && std::isfinite(p.y());
  };
  for (qsizetype i = 1; i < points.size(); ++i) {
    if (isPlace(points[i - 1]) && isPlace(points[i])) painter.drawLine(points[i - 1], points[i]);
  }
}

class StrokedGraph : public QCPGraph {
 public:
  using QCPGraph::QCPGraph;

 protected:
  void drawLinePlot(QCPPainter* painter, const QVector<QPointF>& points) const override {
    if (!needsStrokes(*painter)) return QCPGraph::drawLinePlot(painter, points);
    applyDefaultAntialiasingHint(painter);
    drawStrokes(*painter, points);
  }
};

class StrokedCurve : public QCPCurve {
 public:
  using QCPCurve::QCPCurve;

 protected:
  void drawCurveLine(QCPPainter* painter, const QVector<QPointF>& points) const override {
    if (!needsStrokes(*painter)) return QCPCurve::drawCurveLine(painter, points);
    applyDefaultAntialiasingHint(painter);
    drawStrokes(*painter, points);
  }
};

double distanceToSegment(const QPointF& p, const QPointF& a, const QPointF& b) {
  const QPointF along = b - a;
  const double length = QPointF::dotProduct(along, along);
  const double share =
      length > 0 ? std::clamp(QPointF::dotProduct(p - a, along) / length, 0.0, 1.0) : 0;
  const QPointF gap = p - (a + share * along);
  return std::hypot(gap.x(), gap.y());
}

}  // namespace

CurveScene::CurveScene(QCustomPlot& plot, std::vector<CurvePanel> panels)
    : plot_(plot), colors_(&lightColors()) {
  plot_.plotLayout()->clear();
  plot_.plotLayout()->setRowSpacing(0);
  plot_.setNoAntialiasingOnDrag(false);
  // Drawn segment by segment: as one path, thousands of strokes up and down take half a second.
  plot_.setPlottingHint(QCP::phFastPolylines);
  const int count = static_cast<int>(panels.size());
  for (int row = 0; row < count; ++row) addPanel(std::move(panels[row]), row, count);
}

void CurveScene::setPanels(std::vector<CurvePanel> panels) {
  for (std::size_t i = 0; i < panels_.size(); ++i) panels_[i].options = std::move(panels[i]);
  styleAxes();
}

void CurveScene::addPanel(CurvePanel options, int row, int count) {
  Panel panel;
  panel.options = std::move(options);
  panel.rect = new QCPAxisRect(&plot_, true);
  plot_.plotLayout()->addElement(row, 0, panel.rect);
  panel.x = panel.rect->axis(QCPAxis::atBottom);
  panel.y = panel.rect->axis(QCPAxis::atLeft);
  const bool isLast = row == count - 1;
  panel.rect->setAutoMargins(isLast ? QCP::msLeft | QCP::msBottom : QCP::MarginSides(QCP::msLeft));
  panel.rect->setMarginGroup(
      QCP::msLeft,
      row == 0 ? new QCPMarginGroup(&plot_) : panels_.front().rect->marginGroup(QCP::msLeft));
  panel.x->setTickLabels(isLast);
  panel.y->setNumberFormat(u"g"_s);
  panel.rect->setRangeDrag({});
  panel.rect->setRangeZoom({});
  panels_.push_back(std::move(panel));
}

QColor CurveScene::colorOf(const Series& series) const {
  if (series.options.color.isValid()) return series.options.color;
  const int count = static_cast<int>(colors_->series.size());
  const int index = (series.options.colorIndex % count + count) % count;
  return colors_->series[static_cast<std::size_t>(index)];
}

double CurveScene::placeOf(const CurveMark& mark) const {
  switch (axis_) {
    case CurveAxis::steps:
      return mark.step;
    case CurveAxis::epochs:
      return mark.epoch;
    case CurveAxis::time:
      return mark.seconds;
  }
  return mark.step;
}

bool CurveScene::hasPoints() const {
  return std::ranges::any_of(series_, [&](const Series& s) { return !s.history.x(axis_).empty(); });
}

// ---- content ----

void CurveScene::setSeries(std::vector<CurveSeries> series) {
  plot_.clearPlottables();
  series_.clear();
  for (CurveSeries& options : series) {
    Series entry;
    options.panel = std::clamp(options.panel, 0, static_cast<int>(panels_.size()) - 1);
    entry.history = SeriesHistory(options.faintRaw ? smoothing_ : 0);
    entry.history.append(options.samples);
    options.samples = {};
    entry.options = std::move(options);
    addGraphs(entry);
    styleGraphs(entry);
    series_.push_back(std::move(entry));
  }
}

void CurveScene::append(const std::string& key, const CurveSamples& samples) {
  for (Series& series : series_) {
    if (series.options.key == key) series.history.append(samples);
  }
}

void CurveScene::setAxis(CurveAxis axis) {
  axis_ = axis;
  styleAxes();
}

void CurveScene::setSmoothing(double weight) {
  smoothing_ = weight;
  for (Series& series : series_) {
    if (series.options.faintRaw) series.history.setSmoothing(weight);
  }
}

void CurveScene::setLogarithmic(int panel, bool on) {
  panels_.at(static_cast<std::size_t>(panel)).logarithmic = on;
  styleAxes();
}

void CurveScene::setLogarithmicChosen(int panel, bool isChosen) {
  panels_.at(static_cast<std::size_t>(panel)).isLogarithmicChosen = isChosen;
}

bool CurveScene::spansDecades(int panel) const {
  constexpr double kMostLinear = 100;
  double low = std::numeric_limits<double>::infinity(), high = 0;
  for (const Series& series : series_) {
    if (series.options.panel != panel) continue;
    for (const double y : series.history.smoothedValues()) {
      if (!(y > 0) || std::isinf(y)) continue;
      low = std::min(low, y);
      high = std::max(high, y);
    }
  }
  return high > kMostLinear * low;
}

void CurveScene::setHighlighted(const std::vector<std::string>& keys) {
  for (Series& series : series_) {
    series.dim = !keys.empty() && std::ranges::find(keys, series.options.key) == keys.end();
    styleGraphs(series);
  }
}

// ---- looks ----

void CurveScene::setColors(const Colors& colors) {
  colors_ = &colors;
  plot_.setBackground(QBrush(colors.page));
  styleAxes();
  for (Series& series : series_) styleGraphs(series);
}

void CurveScene::styleAxes() {
  const int titleHeight = qRound(kTitleHeight * textScale());
  for (std::size_t i = 0; i < panels_.size(); ++i) {
    Panel& panel = panels_[i];
    const bool isLast = i + 1 == panels_.size();
    const int marks = i == 0 ? kMarkLane : 0;
    panel.rect->setMargins({0, titleHeight + marks, rightMargin_, isLast ? 0 : kGapBetweenPanels});
    for (QCPAxis* axis : {panel.x, panel.y}) styleAxis(*axis, *colors_);
    if (!isLast) panel.x->setTickPen(QPen(Qt::transparent));
    panel.x->setTicker(placeTicker(axis_));
    panel.x->setLabel(isLast ? axisTitle(axis_) : QString());
    panel.y->setScaleType(panel.logarithmic ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
    panel.y->setTicker(valueTicker(panel.options.percent ? ValueUnit::percent : ValueUnit::number,
                                   panel.logarithmic));
    panel.y->ticker()->setTickCount(tickCount_);
  }
}

void CurveScene::addGraphs(Series& series) {
  const Panel& panel = panels_[static_cast<std::size_t>(series.options.panel)];
  const auto add = [&] {
    auto* graph = new StrokedGraph(panel.x, panel.y);
    graph->setAdaptiveSampling(false);
    graph->setSelectable(QCP::stNone);
    return graph;
  };
  series.branches = new StrokedCurve(panel.x, panel.y);
  series.branches->setSelectable(QCP::stNone);
  if (series.options.faintRaw) series.raw = add();
  series.casing = add();
  series.line = add();
  series.lone = add();
  series.lone->setLineStyle(QCPGraph::lsNone);
}

void CurveScene::styleGraphs(Series& series) {
  const QColor color = faded(colorOf(series), series.dim ? kDimOpacity : 1);
  series.line->setPen(QPen(color, kLineWidth, series.options.penStyle, Qt::RoundCap));
  // A dim line lets the others through.
  series.casing->setVisible(!series.dim);
  series.casing->setPen(QPen(colors_->page,
                             kLineWidth + 2 * kCasing,
                             series.options.penStyle,
                             Qt::FlatCap,
                             Qt::RoundJoin));
  series.lone->setPen(QPen(color, 1));
  series.lone->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, color, color, 4));
  // One pixel wide and without antialiasing, since thousands of strokes up and down are slow
  // otherwise.
  if (series.raw) {
    series.raw->setPen(QPen(faded(color, kRawOpacity), 1));
    series.raw->setAntialiased(false);
  }
  series.branches->setPen(QPen(faded(color, kRawOpacity), 1));
  series.branches->setAntialiased(false);
}

// ---- lines ----

void CurveScene::refreshLines() {
  for (Series& series : series_) refresh(series);
}

void CurveScene::refresh(Series& series) {
  const Panel& panel = panels_[static_cast<std::size_t>(series.options.panel)];
  const auto [low, high] = xRange();
  const int columns = std::max(panel.rect->width(), 1);
  const SeriesHistory& history = series.history;
  const std::span<const double> x = history.x(axis_);
  const auto pointsOf = [&, low = low, high = high](std::span<const double> xs,
                                                    std::span<const double> ys) {
    if (xs.empty()) return std::vector<PlotPoint>{};
    std::vector<PlotPoint> points = decimated(xs, ys, low, high, columns);
    if (panel.logarithmic) dropNotPositive(points);
    return points;
  };
  series.drawn = pointsOf(x, history.smoothedValues());
  series.line->setData(containerOf(series.drawn));
  styleForCrowding(series, columns);
  series.lone->setData(containerOf(isolatedPoints(series.drawn)));
  if (series.raw) {
    // Without smoothing the line shows everything.
    const bool differs = smoothing_ > 0;
    series.raw->setData(
        containerOf(differs ? pointsOf(x, history.samples().y) : std::vector<PlotPoint>{}));
  }
  QVector<QCPCurveData> branches;
  for (const SeriesHistory::Branch& branch : history.abandoned()) {
    const std::span<const double> places = SeriesHistory::along(branch.samples, axis_);
    for (const PlotPoint& point : pointsOf(places, branch.samples.y)) {
      branches.append(QCPCurveData(static_cast<double>(branches.size()), point.x, point.y));
    }
    branches.append(QCPCurveData(static_cast<double>(branches.size()), kNaN, kNaN));
  }
  series.branches->data()->set(branches, true);
}

void CurveScene::styleForCrowding(Series& series, int columns) {
  const auto count = static_cast<double>(series.drawn.size());
  // Round ends close the corners between segments. Where corners are a pixel apart nobody sees
  // them, and they take three times as long.
  const bool isCrowded = count > columns;
  QPen pen = series.line->pen();
  pen.setCapStyle(isCrowded ? Qt::FlatCap : Qt::RoundCap);
  pen.setStyle(isCrowded ? Qt::SolidLine : series.options.penStyle);
  series.line->setPen(pen);
  // The edge of a crowded line would hide the line itself, and doubles the time that it takes.
  series.casing->setData(isCrowded ? QSharedPointer<QCPGraphDataContainer>::create()
                                   : series.line->data());
  const bool hasDots = series.options.points && count * kPixelsPerDot <= columns;
  series.line->setScatterStyle(
      hasDots ? QCPScatterStyle(QCPScatterStyle::ssDisc, pen.color(), pen.color(), 5)
              : QCPScatterStyle(QCPScatterStyle::ssNone));
  if (!series.raw) return;
  QPen raw = series.raw->pen();
  const double opacity = isCrowded ? kCrowdedOpacity : kRawOpacity;
  raw.setColor(faded(pen.color(), opacity));
  series.raw->setPen(raw);
}

void CurveScene::setRightMargin(int pixels) {
  if (rightMargin_ == pixels) return;
  rightMargin_ = pixels;
  styleAxes();
}

void CurveScene::setPanelHeight(double pixels) {
  constexpr int kMostTicks = 4;
  constexpr double kLinesPerTick = 2;  // Round numbers may need more ticks than requested.
  const double line = QFontMetricsF(smallFont()).height();
  const int count = std::clamp(static_cast<int>(pixels / (kLinesPerTick * line)), 1, kMostTicks);
  if (count == tickCount_) return;
  tickCount_ = count;
  styleAxes();
}

// ---- ranges ----

std::optional<std::pair<double, double>> CurveScene::xExtent() const {
  std::optional<std::pair<double, double>> extent;
  for (const Series& series : series_) {
    const std::span<const double> x = series.history.x(axis_);
    if (x.empty()) continue;
    if (!extent) extent = {x.front(), x.back()};
    extent->first = std::min(extent->first, x.front());
    extent->second = std::max(extent->second, x.back());
  }
  return extent;
}

std::pair<double, double> CurveScene::yExtent(int index) const {
  const Panel& panel = panels_[static_cast<std::size_t>(index)];
  constexpr double kEverywhere = std::numeric_limits<double>::infinity();
  std::optional<std::pair<double, double>> extent;
  for (const Series& series : series_) {
    if (series.options.panel != index) continue;
    const auto range =
        series.history.valueRange(axis_, -kEverywhere, kEverywhere, panel.logarithmic);
    if (!range) continue;
    if (!extent) extent = range;
    extent->first = std::min(extent->first, range->first);
    extent->second = std::max(extent->second, range->second);
  }
  if (!extent) return panel.logarithmic ? std::pair{0.1, 10.0} : std::pair{0.0, 1.0};
  auto [low, high] = *extent;
  if (panel.logarithmic) {
    const double margin = std::max(std::pow(high / low, 0.05), 1.02);
    return {low / margin, high * margin};
  }
  // Points at one place have no curve whose shape the range should show.
  if (const auto places = xExtent(); places && places->first == places->second) {
    low = std::min(low, 0.0);
    high = std::max(high, 0.0);
  }
  const double margin = high > low ? 0.05 * (high - low) : std::max(0.05 * std::abs(high), 1e-3);
  const double padded = low - margin;
  // Losses and accuracies are never below 0, accuracies never above 1.
  const double space = kEdgeMargin * (high - low);
  const double top =
      panel.options.percent && high <= 1 ? std::min(high + margin, 1 + space) : high + margin;
  return {low >= 0 ? std::max(padded, -space) : padded, top};
}

void CurveScene::fit() {
  const auto extent = xExtent();
  auto [low, high] = extent.value_or(std::pair{0.0, 1.0});
  // Points at one place have no range of their own.
  const bool beginsAtZero = low > 0 && (low < 0.1 * high || low == high);
  if (beginsAtZero) low = 0;
  if (!(high > low)) high = low + 1;
  const double margin = kEndMargin * (high - low);
  if (!beginsAtZero) low -= margin;
  high += margin;
  for (Panel& panel : panels_) panel.x->setRange(low, high);
  for (int i = 0; i < static_cast<int>(panels_.size()); ++i) {
    const auto [bottom, top] = yExtent(i);
    panels_[static_cast<std::size_t>(i)].y->setRange(bottom, top);
  }
}

std::pair<double, double> CurveScene::xRange() const {
  const QCPRange range = panels_.front().x->range();
  return {range.lower, range.upper};
}

void CurveScene::limitX(double& low, double& high) const {
  const auto extent = xExtent();
  if (!extent) return;
  const double width = std::max(extent->second - extent->first, 1e-6);
  // The range leaves enough space around the points to move freely, but never shows an empty plot.
  const double size = std::min(high - low, 3 * width);
  const double middle =
      std::clamp((low + high) / 2, extent->first - 0.4 * size, extent->second + 0.4 * size);
  low = middle - size / 2;
  high = middle + size / 2;
}

void CurveScene::setXRange(double low, double high) {
  if (!std::isfinite(low) || !std::isfinite(high) || high - low < 1e-9 * (1 + std::abs(low)))
    return;
  limitX(low, high);
  for (Panel& panel : panels_) panel.x->setRange(low, high);
}

void CurveScene::setYRange(int panel, double low, double high) {
  if (!std::isfinite(low) || !std::isfinite(high) || high - low < 1e-12 * (1 + std::abs(low)))
    return;
  panels_.at(static_cast<std::size_t>(panel)).y->setRange(low, high);
}

void CurveScene::zoom(double xFactor, double yFactor, int panel, const QPointF& pixel) {
  const double x = xAt(pixel.x());
  const auto [low, high] = xRange();
  if (xFactor != 1) setXRange(x + (low - x) * xFactor, x + (high - x) * xFactor);
  if (panel < 0 || yFactor == 1) return;
  QCPAxis* y = panels_.at(static_cast<std::size_t>(panel)).y;
  y->scaleRange(yFactor, y->pixelToCoord(pixel.y()));
}

void CurveScene::pan(int panel, const QPointF& pixels) {
  const QRect rect = panelRect(0);
  setXRange(xAt(rect.left() - pixels.x()), xAt(rect.left() + rect.width() - pixels.x()));
  if (panel < 0 || pixels.y() == 0) return;
  const QRect own = panelRect(panel);
  setYRange(
      panel, yAt(panel, own.top() + own.height() - pixels.y()), yAt(panel, own.top() - pixels.y()));
}

// ---- places ----

int CurveScene::panelAt(const QPointF& pixel) const {
  for (int i = 0; i < static_cast<int>(panels_.size()); ++i) {
    if (panelRect(i).contains(pixel.toPoint())) return i;
  }
  return -1;
}

QRect CurveScene::panelRect(int panel) const {
  return panels_.at(static_cast<std::size_t>(panel)).rect->rect();
}

double CurveScene::xAt(double pixel) const {
  return panels_.front().x->pixelToCoord(pixel);
}

double CurveScene::xPixel(double place) const {
  return panels_.front().x->coordToPixel(place);
}

double CurveScene::yAt(int panel, double pixel) const {
  return panels_.at(static_cast<std::size_t>(panel)).y->pixelToCoord(pixel);
}

double CurveScene::yPixel(int panel, double value) const {
  return panels_.at(static_cast<std::size_t>(panel)).y->coordToPixel(value);
}

const CurveScene::Series* CurveScene::seriesNear(const QPointF& pixel) const {
  const int panel = panelAt(pixel);
  const Series* nearest = nullptr;
  double least = kHitPixels;
  for (const Series& series : series_) {
    if (series.options.panel != panel) continue;
    for (std::size_t i = 1; i < series.drawn.size(); ++i) {
      const PlotPoint& a = series.drawn[i - 1];
      const PlotPoint& b = series.drawn[i];
      if (!std::isfinite(a.y) || !std::isfinite(b.y)) continue;
      const double distance = distanceToSegment(
          pixel, {xPixel(a.x), yPixel(panel, a.y)}, {xPixel(b.x), yPixel(panel, b.y)});
      if (distance > least) continue;  // Of lines that coincide, the topmost is seen.
      least = distance;
      nearest = &series;
    }
  }
  return nearest;
}

}  // namespace lambda
