#include "widgets/tables/confusion_layout.h"

#include <algorithm>
#include <cmath>

#include <QFontMetricsF>

#include "widgets/theme/shown_text.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr double kGap = ConfusionLayout::kGap;
constexpr double kMargin = ConfusionLayout::kMargin;
constexpr double kLargestCell = 64;
constexpr double kSmallestCell = 4;

double lineHeight() {
  return QFontMetricsF(smallFont()).height();
}

/// In smaller cells the names of neighbours would overlap.
double smallestNamedCell() {
  return 0.85 * lineHeight();
}

double widestName(const ConfusionPicture& picture) {
  QFont bold = smallFont();
  bold.setWeight(QFont::DemiBold);
  const QFontMetricsF metrics(bold);
  double widest = 0;
  for (const QString& name : picture.classNames) {
    widest = std::max(widest, metrics.horizontalAdvance(name));
  }
  return std::ceil(std::min(widest, ConfusionLayout::longestName()));
}

double leftOf(const ConfusionLayout& layout) {
  return kMargin + lineHeight() + 1.5 * kGap + layout.nameWidth;
}

double topOf(const ConfusionLayout& layout) {
  return kMargin + layout.titleHeight + lineHeight() + kGap + layout.nameHeight;
}

double cellIn(const ConfusionLayout& layout, const QSizeF& size, int classes) {
  const double legend = lineHeight() + 2 * kGap;
  const double width = size.width() - leftOf(layout) - layout.shareWidth - kMargin;
  const double height = size.height() - topOf(layout) - legend - kMargin;
  return std::floor(
      std::clamp(std::min(width, height) / classes, kSmallestCell, kLargestCell * textScale()));
}

}  // namespace

double ConfusionLayout::longestName() {
  return 120 * textScale();
}

QRectF ConfusionLayout::rectOf(const Cell& at) const {
  return {matrix.left() + at.column * cell, matrix.top() + at.row * cell, cell, cell};
}

ConfusionLayout layoutOf(const ConfusionPicture& picture, const QSizeF& size) {
  ConfusionLayout layout;
  const int classes = picture.matrix.classes;
  if (classes <= 0) return layout;
  if (!picture.title.isEmpty()) {
    layout.titleHeight = QFontMetricsF(headingFont()).height() + kGap;
  }
  const double widest = widestName(picture);
  layout.nameWidth = widest;
  layout.nameHeight = lineHeight();
  const QFontMetricsF small(smallFont());
  layout.shareWidth =
      std::max(small.horizontalAdvance(u"100.0 %"_s), small.horizontalAdvance(u"correct"_s)) + kGap;
  layout.cell = cellIn(layout, size, classes);
  layout.uprightNames = layout.cell < widest + kGap / 2;
  if (layout.uprightNames) {
    layout.nameHeight = widest;
    layout.cell = cellIn(layout, size, classes);
  }
  // Columns have the same order as rows, so that their names are left out first.
  if (layout.cell < smallestNamedCell()) {
    layout.nameHeight = 0;
    layout.cell = cellIn(layout, size, classes);
  }
  if (layout.cell < smallestNamedCell()) {
    layout.nameWidth = layout.shareWidth = 0;
    layout.cell = cellIn(layout, size, classes);
  }
  layout.matrix =
      QRectF(leftOf(layout), topOf(layout), classes * layout.cell, classes * layout.cell);
  return layout;
}

}  // namespace lambda
