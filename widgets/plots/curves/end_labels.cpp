#include "widgets/plots/curves/end_labels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <QFontMetricsF>

#include "widgets/plots/curves/decimation.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr double kLabelGap = 8;     // Distance between a line's end and its name.
constexpr QPointF kSameEnd{16, 3};  // The greatest distance between ends that look like one.
constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();
constexpr double kSamePixels = 1.5;
const QString kSameAs = u"= "_s;

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

/// The heights of a line in pixels at equal distances over the visible range; NaN where there is no
/// line.
using LineTrace = std::array<double, 32>;

/// The height of the line at a place between its points; NaN outside.
double heightAt(const std::vector<PlotPoint>& points, double x) {
  const auto after = std::ranges::lower_bound(points, x, {}, &PlotPoint::x);
  if (after == points.end()) return kNoValue;
  if (after->x == x) return after->y;
  if (after == points.begin()) return kNoValue;
  const PlotPoint& before = *(after - 1);
  return before.y + (after->y - before.y) * (x - before.x) / (after->x - before.x);
}

/// `points` ascend in x; `pixelOf` maps y to pixels.
LineTrace traceOf(const std::vector<PlotPoint>& points,
                  std::pair<double, double> xRange,
                  const std::function<double(double)>& pixelOf) {
  LineTrace trace;
  const auto [low, high] = xRange;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const double share = (static_cast<double>(i) + 0.5) / static_cast<double>(trace.size());
    const double y = heightAt(points, low + share * (high - low));
    trace[i] = std::isfinite(y) ? pixelOf(y) : kNoValue;
  }
  return trace;
}

/// Whether one line covers the other over at least half of the places where both are.
bool doCoincide(const LineTrace& a, const LineTrace& b) {
  int common = 0, same = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double distance = std::abs(a[i] - b[i]);
    if (std::isnan(distance)) continue;
    ++common;
    if (distance <= kSamePixels) ++same;
  }
  return same > 0 && 2 * same >= common;
}

/// A line as it is seen.
struct SeenLine {
  LineTrace trace;
  std::optional<QPointF> end;
};

bool areSeenAsOne(const SeenLine& a, const SeenLine& b) {
  if (!a.end || !b.end) return false;
  const QPointF distance = *a.end - *b.end;
  return std::abs(distance.x()) <= kSameEnd.x() && std::abs(distance.y()) <= kSameEnd.y() &&
         doCoincide(a.trace, b.trace);
}

}  // namespace

QString nameOf(const CurveScene::Series& series) {
  return QString::fromStdString(series.options.label);
}

double widestName() {
  constexpr double kWidest = 150;
  return kWidest * textScale();
}

std::vector<LineName> lineNames(const CurveScene& scene, int panel) {
  struct Group {
    SeenLine topmost;
    std::vector<const CurveScene::Series*> series;
  };

  std::vector<Group> groups;
  for (auto series = scene.series().rbegin(); series != scene.series().rend(); ++series) {
    if (series->options.panel != panel || series->options.label.empty()) continue;
    if (series->history.empty()) continue;
    const SeenLine seen{
        traceOf(series->drawn, scene.xRange(), [&](double y) { return scene.yPixel(panel, y); }),
        endOf(scene, *series)};
    const auto same = std::ranges::find_if(
        groups, [&](const Group& group) { return areSeenAsOne(group.topmost, seen); });
    if (same == groups.end()) {
      groups.push_back({seen, {&*series}});
    } else {
      same->series.push_back(&*series);
    }
  }
  std::vector<LineName> names;
  for (auto group = groups.rbegin(); group != groups.rend(); ++group) {
    for (const CurveScene::Series* series : group->series) {
      const bool isSame = series != group->series.front();
      names.push_back({series, isSame ? kSameAs + nameOf(*series) : nameOf(*series), isSame});
    }
  }
  return names;
}

std::vector<EndLabel> endLabels(const CurveScene& scene, int panel) {
  const QRect rect = scene.panelRect(panel);
  const QFontMetricsF metrics(smallFont());
  const double height = metrics.height();

  /// A line of text beside the end of a line, or below that of the line with which it coincides.
  struct WantedLabel {
    LineName name;
    QPointF end;
    double y;
  };

  std::vector<WantedLabel> wanted;
  for (const LineName& name : lineNames(scene, panel)) {
    if (name.isSame && !wanted.empty()) {
      wanted.push_back({name, wanted.back().end, wanted.back().y});
    } else if (const auto end = endOf(scene, *name.series)) {
      wanted.push_back({name, *end, end->y() - height / 2});
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
    const double width = std::min(metrics.horizontalAdvance(label.name.text), widestName());
    const double left = std::min(label.end.x(), rect.right() + 0.0) + kLabelGap;
    const double moved = std::abs(label.y + height / 2 - label.end.y());
    labels.push_back({label.name.series,
                      label.name.text,
                      label.end,
                      {left, label.y, width, height},
                      moved > height / 2 && !label.name.isSame});
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
    const QString name = count > 1 ? kSameAs + nameOf(series) : nameOf(series);
    width = std::max(width, metrics.horizontalAdvance(name));
  }
  constexpr int kWithout = 8;
  if (width == 0) return kWithout;
  return static_cast<int>(std::ceil(std::min(width, widestName()) + kLabelGap + 6));
}

}  // namespace lambda
