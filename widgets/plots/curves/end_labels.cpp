#include "widgets/plots/curves/end_labels.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <QFontMetricsF>

#include "widgets/theme/typography.h"

namespace lambda {

namespace {

constexpr double kLabelGap = 8;  // Distance between a line's end and its name.

/// The place in pixels where the line ends, or leaves the panel at the right; none if it is not
/// visible.
std::optional<QPointF> endOf(const CurveScene& scene, const CurveScene::Series& series) {
  const auto [low, high] = scene.xRange();
  const int panel = series.options.panel;
  const QRect rect = scene.panelRect(panel);
  std::optional<QPointF> after;
  for (auto point = series.drawn.rbegin(); point != series.drawn.rend(); ++point) {
    if (!std::isfinite(point->y)) continue;
    const QPointF at(scene.xPixel(point->x), scene.yPixel(panel, point->y));
    if (point->x > high) {
      after = at;
      continue;
    }
    if (point->x < low && !after) return std::nullopt;
    QPointF end = at;
    if (after) {
      end.setX(scene.xPixel(high));
      end.ry() += (after->y() - at.y()) * (end.x() - at.x()) / std::max(after->x() - at.x(), 1e-9);
    }
    end.setY(std::clamp<double>(end.y(), rect.top(), rect.bottom()));
    return end;
  }
  return std::nullopt;
}

}  // namespace

QString nameOf(const CurveScene::Series& series) {
  return QString::fromStdString(series.options.label);
}

double widestName() {
  constexpr double kWidest = 150;
  return kWidest * textScale();
}

std::vector<EndLabel> endLabels(const CurveScene& scene, int panel) {
  const QRect rect = scene.panelRect(panel);
  const QFontMetricsF metrics(smallFont());
  const double height = metrics.height();

  struct WantedLabel {
    const CurveScene::Series* series;
    QPointF end;
    double y;
  };

  std::vector<WantedLabel> wanted;
  for (const CurveScene::Series& series : scene.series()) {
    if (series.options.panel != panel || series.options.label.empty()) continue;
    if (const auto end = endOf(scene, series)) {
      wanted.push_back({&series, *end, end->y() - height / 2});
    }
  }
  if (static_cast<double>(wanted.size()) * height > rect.height()) return {};
  std::ranges::stable_sort(wanted, {}, &WantedLabel::y);
  double next = rect.top() - height / 2;
  for (WantedLabel& label : wanted) {
    label.y = std::max(label.y, next);
    next = label.y + height;
  }
  double limit = rect.bottom() + height / 2 - height;
  for (auto label = wanted.rbegin(); label != wanted.rend(); ++label) {
    label->y = std::min(label->y, limit);
    limit = label->y - height;
  }
  std::vector<EndLabel> labels;
  for (const WantedLabel& label : wanted) {
    const double width = std::min(metrics.horizontalAdvance(nameOf(*label.series)), widestName());
    const double left = std::min(label.end.x(), rect.right() + 0.0) + kLabelGap;
    const double moved = std::abs(label.y + height / 2 - label.end.y());
    labels.push_back({label.series, label.end, {left, label.y, width, height}, moved > height / 2});
  }
  return labels;
}

int endLabelWidth(const CurveScene& scene, double panelHeight) {
  const QFontMetricsF metrics(smallFont());
  double width = 0;
  std::vector<int> counts(scene.panels().size());
  for (const CurveScene::Series& series : scene.series()) {
    ++counts[static_cast<std::size_t>(series.options.panel)];
  }
  for (const CurveScene::Series& series : scene.series()) {
    const int count = counts[static_cast<std::size_t>(series.options.panel)];
    if (count * metrics.height() > panelHeight) continue;
    width = std::max(width, metrics.horizontalAdvance(nameOf(series)));
  }
  constexpr int kWithout = 8;
  if (width == 0) return kWithout;
  return static_cast<int>(std::ceil(std::min(width, widestName()) + kLabelGap + 6));
}

}  // namespace lambda
