#include "widgets/pictures/heatmaps/color_bar.h"

#include <algorithm>

#include <QFontMetricsF>
#include <QPainter>

#include "widgets/text/quantity_text.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr double kBarWidth = 12;
constexpr double kFlatHeight = 9;
constexpr double kTextGap = 6;
constexpr double kTextWidth = 44;
constexpr int kSteps = 64;  // bands of colour: more than an eye tells apart

QString endText(const ColorRange& range, ColorMap map, bool isRelative, bool isHigh) {
  if (!isRelative) return numberText(isHigh ? range.high : range.low);
  if (isHigh) return u"max"_s;
  return map == ColorMap::diverging ? u"−max"_s : u"0"_s;
}

}  // namespace

double colorBarWidth() {
  return kBarWidth + kTextGap + kTextWidth * textScale();
}

void paintColorBar(QPainter& painter,
                   const QRectF& area,
                   ColorMap map,
                   const ColorRange& range,
                   const ColorBarText& text,
                   const Colors& colors) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.setFont(smallFont());
  const QFontMetricsF metrics(smallFont());
  QRectF bar(area.left(), area.top(), kBarWidth, area.height());
  if (!text.unit.isEmpty()) {
    const double height = metrics.height() + 4;
    painter.setPen(colors.textSecondary);
    painter.drawText(QRectF(area.left(), area.top() - 2, area.width() + 32, height),
                     Qt::AlignLeft | Qt::AlignTop | Qt::TextDontClip,
                     text.unit);
    bar.setTop(bar.top() + height);
  }
  for (int step = 0; step < kSteps; ++step) {
    const Rgb color = colorAt(map, 1 - (step + 0.5) / kSteps);
    const double top = bar.top() + bar.height() * step / kSteps;
    const double bottom = bar.top() + bar.height() * (step + 1) / kSteps;
    painter.fillRect(QRectF(bar.left(), top, bar.width(), bottom - top + 0.5),
                     QColor(color[0], color[1], color[2]));
  }
  painter.setPen(colors.textSecondary);
  const double left = bar.right() + kTextGap, height = metrics.height();
  const auto write = [&](double share, const QString& label) {
    const double center = bar.bottom() - share * bar.height();
    const double top = std::clamp(center - height / 2, bar.top() - 1, bar.bottom() - height + 1);
    painter.drawText(QRectF(left, top, area.right() - left, height),
                     Qt::AlignLeft | Qt::AlignVCenter | Qt::TextDontClip,
                     label);
  };
  write(1, endText(range, map, text.isRelative, true));
  if (bar.height() >= 2 * height) write(0, endText(range, map, text.isRelative, false));
  const double zero = -range.low / (range.high - range.low);
  const bool hasSpace = bar.height() * std::min(zero, 1 - zero) > 1.2 * height;
  if (range.low < 0 && range.high > 0 && hasSpace) write(zero, u"0"_s);
  painter.restore();
}

double flatColorBarNumbers(const ColorRange& range) {
  const QFontMetricsF metrics(smallFont());
  return metrics.horizontalAdvance(numberText(range.low) + numberText(range.high)) + 2 * kTextGap;
}

void paintFlatColorBar(QPainter& painter,
                       const QRectF& area,
                       ColorMap map,
                       const ColorRange& range,
                       const Colors& colors) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.setFont(smallFont());
  painter.setPen(colors.textSecondary);
  const QFontMetricsF metrics(smallFont());
  const QString low = numberText(range.low), high = numberText(range.high);
  painter.drawText(area, Qt::AlignLeft | Qt::AlignVCenter, low);
  painter.drawText(area, Qt::AlignRight | Qt::AlignVCenter, high);
  const QRectF bar(area.left() + metrics.horizontalAdvance(low) + kTextGap,
                   area.center().y() - kFlatHeight / 2,
                   area.width() - flatColorBarNumbers(range),
                   kFlatHeight);
  for (int step = 0; step < kSteps && bar.width() > 0; ++step) {
    const Rgb color = colorAt(map, (step + 0.5) / kSteps);
    const double left = bar.left() + bar.width() * step / kSteps;
    painter.fillRect(QRectF(left, bar.top(), bar.width() / kSteps + 0.5, bar.height()),
                     QColor(color[0], color[1], color[2]));
  }
  painter.restore();
}

}  // namespace lambda
