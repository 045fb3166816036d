#include <algorithm>
#include <cmath>
#include <limits>

#include "widgets/plots/curves/curve_scene.h"
#include "widgets/qcustomplot_include.h"

// The view of a CurveScene: its ranges, and the places of points in pixels.

namespace lambda {

namespace {

constexpr double kHitPixels = 6;
constexpr double kEdgeMargin = 0.02;  // Share of the height: lines along 0 or 100 % are whole.
constexpr double kEndMargin = 0.01;   // Share of the width: the last dot is whole.

double distanceToSegment(const QPointF& p, const QPointF& a, const QPointF& b) {
  const QPointF along = b - a;
  const double length = QPointF::dotProduct(along, along);
  const double share =
      length > 0 ? std::clamp(QPointF::dotProduct(p - a, along) / length, 0.0, 1.0) : 0;
  const QPointF gap = p - (a + share * along);
  return std::hypot(gap.x(), gap.y());
}

}  // namespace

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
  if (low > 0 && low < 0.1 * high) low = 0;
  if (!(high > low)) high = low + 1;
  high += kEndMargin * (high - low);
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
