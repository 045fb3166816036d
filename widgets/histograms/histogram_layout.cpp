#include "widgets/histograms/histogram_layout.h"

#include <algorithm>
#include <cmath>

#include <QFontMetricsF>

#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr double kPixelsPerRidge = 16;
constexpr int kMostRidges = 40;
constexpr double kOverlap = 3;  // Height of a ridge in distances between ridges.

}  // namespace

HistogramLayout::HistogramLayout(const HistogramPicture& picture, const QSizeF& size)
    : picture_(picture) {
  const QFontMetricsF metrics(smallFont());
  const bool isHeatmap = picture.form == HistogramForm::heatmap;
  const double left = metrics.horizontalAdvance(u"-0.00123"_s) + kHistogramGap;
  const double right =
      isHeatmap ? kHistogramGap + kHistogramBarWidth + 4 + metrics.horizontalAdvance(u"0.00000 %"_s)
                : 2 * kHistogramGap;
  const double top = 2 * metrics.height() + kHistogramTick + 2;
  const double bottom = 2 * metrics.height() + kHistogramTick + 2;
  area_ = QRectF(left,
                 top,
                 std::max(1.0, size.width() - left - right),
                 std::max(1.0, size.height() - top - bottom));
  if (isHeatmap || picture.columns.empty()) return;
  // Evenly spaced over the steps, with the first and the last one.
  const int wanted = std::clamp(static_cast<int>(area_.height() / kPixelsPerRidge), 2, kMostRidges);
  const double first = static_cast<double>(picture.columns.front().step);
  const double last = static_cast<double>(picture.columns.back().step);
  for (int i = 0; i < wanted; ++i) {
    const double step = first + (last - first) * i / (wanted - 1);
    auto column =
        std::ranges::lower_bound(picture.columns, step - 1e-6, {}, [](const HistogramColumn& each) {
          return static_cast<double>(each.step);
        });
    if (column == picture.columns.end()) --column;
    const auto index = static_cast<std::size_t>(column - picture.columns.begin());
    if (ridges_.empty() || ridges_.back() < index) ridges_.push_back(index);
  }
}

double HistogramLayout::endOf(std::size_t column) const {
  const std::vector<HistogramColumn>& columns = picture_.columns;
  if (column + 1 < columns.size()) return static_cast<double>(columns[column + 1].step);
  const auto last = static_cast<double>(columns.back().step);
  if (columns.size() < 2) return last + 1;
  return 2 * last - static_cast<double>(columns[columns.size() - 2].step);
}

double HistogramLayout::xOfStep(double step) const {
  const auto first = static_cast<double>(picture_.columns.front().step);
  const double last = endOf(picture_.columns.size() - 1);
  return area_.left() + area_.width() * (step - first) / (last - first);
}

double HistogramLayout::positionOf(double place) const {
  const double share = (place - picture_.grid.low) / (picture_.grid.high - picture_.grid.low);
  return picture_.form == HistogramForm::heatmap ? area_.bottom() - share * area_.height()
                                                 : area_.left() + share * area_.width();
}

double HistogramLayout::ridgeHeight() const {
  const double gaps = static_cast<double>(ridges_.size()) - 1 + kOverlap;
  return kOverlap * area_.height() / std::max(gaps, 1.0);
}

double HistogramLayout::baselineOf(std::size_t ridge) const {
  const double apart = ridgeHeight() / kOverlap;
  return area_.bottom() - apart * static_cast<double>(ridges_.size() - 1 - ridge);
}

std::optional<std::pair<std::size_t, double>> HistogramLayout::at(const QPointF& point) const {
  if (picture_.isEmpty() || !area_.contains(point)) return std::nullopt;
  const HistogramGrid& grid = picture_.grid;
  const auto placeAt = [&](double share) { return grid.low + (grid.high - grid.low) * share; };
  if (picture_.form == HistogramForm::ridges) {
    std::size_t nearest = 0;
    for (std::size_t ridge = 0; ridge < ridges_.size(); ++ridge) {
      if (std::abs(baselineOf(ridge) - point.y()) < std::abs(baselineOf(nearest) - point.y())) {
        nearest = ridge;
      }
    }
    return std::pair(ridges_[nearest], placeAt((point.x() - area_.left()) / area_.width()));
  }
  std::size_t column = 0;
  while (column + 1 < picture_.columns.size() && xOfStep(endOf(column)) <= point.x()) ++column;
  return std::pair(column, placeAt((area_.bottom() - point.y()) / area_.height()));
}

}  // namespace lambda
