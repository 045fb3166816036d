#include "widgets/histograms/histogram_picture.h"

#include <algorithm>
#include <cmath>

#include <QFontMetricsF>
#include <QImage>
#include <QPainter>
#include <QPainterPath>

#include "engine/values/inspection/colormap.h"
#include "widgets/histograms/histogram_layout.h"
#include "widgets/pictures/images/sharp_image.h"
#include "widgets/plots/axes/axis_text.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/shown_text.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr double kDecadesOfColor = 4;  // From the greatest share down.
constexpr int kMostPixels = 1600;

QString shareText(double share) {
  return share >= 0.001 ? valueText(share, true) : numberText(100 * share, 1) + u" %"_s;
}

/// The share of the colour map for a share of values; negative for none.
double colorPlace(double share, double greatest) {
  if (!(share > 0) || !(greatest > 0)) return -1;
  return 1 + std::log10(share / greatest) / kDecadesOfColor;
}

class Painting {
 public:
  Painting(QPainter& painter,
           const HistogramPicture& picture,
           const QSizeF& size,
           const Colors& colors)
      : painter_(painter),
        picture_(picture),
        layout_(picture, size),
        size_(size),
        colors_(colors),
        line_(QFontMetricsF(smallFont()).height()) {}

  void all() {
    painter_.save();
    painter_.setRenderHint(QPainter::Antialiasing);
    painter_.setFont(smallFont());
    painter_.setPen(colors_.text);
    painter_.drawText(
        QRectF(0, 0, size_.width() - kHistogramGap, line_),
        Qt::AlignLeft | Qt::AlignVCenter,
        QFontMetricsF(smallFont())
            .elidedText(picture_.title, Qt::ElideMiddle, size_.width() - kHistogramGap));
    if (picture_.form == HistogramForm::heatmap) {
      valueAxis();
      stepAxis();
      cells();
      if (picture_.showsQuantiles) quantiles();
      notFiniteMarks();
      colorBar();
    } else {
      ridgeAxes();
      ridges();
    }
    crosshair();
    painter_.restore();
  }

 private:
  QPen gridPen() const {
    QColor grid = colors_.hairline;
    grid.setAlphaF(0.6F);
    return {grid, 1};
  }

  void valueAxis() {
    const HistogramGrid& grid = picture_.grid;
    const QRectF& area = layout_.area();
    const int wanted = static_cast<int>(area.height() / (2.6 * line_));
    for (const double tick : valueTicks(grid.scale, grid.low, grid.high, wanted)) {
      const double y = std::round(layout_.positionOf(grid.scale.placeOf(tick))) + 0.5;
      painter_.setPen(gridPen());
      painter_.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
      painter_.setPen(colors_.textSecondary);
      painter_.drawText(QRectF(0, y - line_ / 2, area.left() - kHistogramGap, line_),
                        Qt::AlignRight | Qt::AlignVCenter,
                        roundedText(tick));
    }
  }

  void stepAxis() {
    const QRectF& area = layout_.area();
    painter_.setPen(QPen(colors_.hairline, 1));
    painter_.drawLine(area.bottomLeft(), area.bottomRight());
    const auto first = static_cast<double>(picture_.columns.front().step);
    const double last = layout_.endOf(picture_.columns.size() - 1);
    const int wanted = std::max(2, static_cast<int>(area.width() / 96));
    for (const double tick : valueTicks({}, first, last, wanted)) {
      if (tick != std::floor(tick)) continue;
      const double x = std::round(layout_.xOfStep(tick)) + 0.5;
      painter_.setPen(QPen(colors_.hairline, 1));
      painter_.drawLine(QPointF(x, area.bottom()), QPointF(x, area.bottom() + kHistogramTick));
      painter_.setPen(colors_.textSecondary);
      painter_.drawText(QRectF(x - 60, area.bottom() + kHistogramTick + 1, 120, line_),
                        Qt::AlignHCenter | Qt::AlignTop,
                        countText(static_cast<qint64>(tick)));
    }
    axisTitle(u"step"_s);
  }

  void axisTitle(const QString& title) {
    painter_.setPen(colors_.textSecondary);
    painter_.drawText(
        QRectF(layout_.area().left(), size_.height() - line_, layout_.area().width(), line_),
        Qt::AlignHCenter | Qt::AlignBottom,
        title);
  }

  void cells() {
    const QRectF& area = layout_.area();
    const double scale = isVectorFile(painter_) ? 2 : painter_.device()->devicePixelRatioF();
    const int width = std::clamp(static_cast<int>(std::ceil(area.width() * scale)), 1, kMostPixels);
    QImage image(width, HistogramGrid::kRows, QImage::Format_ARGB32);
    image.fill(Qt::transparent);
    const double greatest = picture_.grid.greatestShare();
    const auto first = static_cast<double>(picture_.columns.front().step);
    const double last = layout_.endOf(picture_.columns.size() - 1);
    std::size_t column = 0;
    for (int x = 0; x < width; ++x) {
      const double step = first + (last - first) * (x + 0.5) / width;
      while (column + 1 < picture_.columns.size() && layout_.endOf(column) <= step) ++column;
      for (int row = 0; row < HistogramGrid::kRows; ++row) {
        const double place = colorPlace(picture_.grid.shareAt(column, row), greatest);
        if (place < 0) continue;
        const Rgb color = colorAt(ColorMap::viridis, place);
        image.setPixel(x, HistogramGrid::kRows - 1 - row, qRgb(color[0], color[1], color[2]));
      }
    }
    drawSharp(painter_, area, image);
  }

  void quantiles() {
    const QRectF& area = layout_.area();
    constexpr std::size_t kMedian = std::size(kShownQuantiles) / 2;
    painter_.save();
    painter_.setClipRect(area);
    for (std::size_t q = 0; q < std::size(kShownQuantiles); ++q) {
      QPolygonF line;
      for (std::size_t i = 0; i < picture_.columns.size(); ++i) {
        const double value = picture_.grid.quantiles[i][q];
        if (!std::isfinite(value)) continue;
        const double y = layout_.positionOf(picture_.grid.scale.placeOf(value));
        const auto step = static_cast<double>(picture_.columns[i].step);
        line << QPointF(layout_.xOfStep((step + layout_.endOf(i)) / 2), y);
      }
      // White on a dark seam is seen on every colour of the map.
      painter_.setPen(QPen(QColor(0, 0, 0, 120), q == kMedian ? 3 : 2));
      painter_.drawPolyline(line);
      painter_.setPen(QPen(Qt::white, q == kMedian ? 1.6 : 0.9));
      painter_.drawPolyline(line);
    }
    painter_.restore();
  }

  void notFiniteMarks() {
    const QRectF& area = layout_.area();
    for (std::size_t i = 0; i < picture_.columns.size(); ++i) {
      if (picture_.columns[i].histogram->notFiniteCount() == 0) continue;
      const double left = layout_.xOfStep(static_cast<double>(picture_.columns[i].step));
      const double right = layout_.xOfStep(layout_.endOf(i));
      painter_.fillRect(
          QRectF(left, area.top() - kHistogramTick, std::max(2.0, right - left), kHistogramTick),
          colors_.error);
    }
  }

  void colorBar() {
    const QRectF& area = layout_.area();
    const QRectF bar(area.right() + kHistogramGap, area.top(), kHistogramBarWidth, area.height());
    constexpr int kBands = 64;
    for (int band = 0; band < kBands; ++band) {
      const Rgb color = colorAt(ColorMap::viridis, 1 - (band + 0.5) / kBands);
      painter_.fillRect(QRectF(bar.left(),
                               bar.top() + bar.height() * band / kBands,
                               bar.width(),
                               bar.height() / kBands + 0.5),
                        QColor(color[0], color[1], color[2]));
    }
    painter_.setPen(colors_.textSecondary);
    const double greatest = picture_.grid.greatestShare();
    for (int decade = 0; decade <= kDecadesOfColor; ++decade) {
      const double center = bar.top() + bar.height() * decade / kDecadesOfColor;
      const double top = std::clamp(center - line_ / 2, bar.top() - 1, bar.bottom() - line_ + 1);
      painter_.drawText(QRectF(bar.right() + 4, top, size_.width() - bar.right() - 4, line_),
                        Qt::AlignLeft | Qt::AlignVCenter,
                        shareText(greatest * std::pow(10, -decade)));
    }
    painter_.drawText(QRectF(0, area.top() - line_ - kHistogramTick, size_.width(), line_),
                      Qt::AlignRight | Qt::AlignVCenter,
                      u"share of values"_s);
  }

  void ridgeAxes() {
    const HistogramGrid& grid = picture_.grid;
    const QRectF& area = layout_.area();
    const int wanted = static_cast<int>(area.width() / 80);
    for (const double tick : valueTicks(grid.scale, grid.low, grid.high, wanted)) {
      const double x = std::round(layout_.positionOf(grid.scale.placeOf(tick))) + 0.5;
      painter_.setPen(gridPen());
      painter_.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
      painter_.setPen(colors_.textSecondary);
      painter_.drawText(QRectF(x - 60, area.bottom() + kHistogramTick + 1, 120, line_),
                        Qt::AlignHCenter | Qt::AlignTop,
                        roundedText(tick));
    }
    axisTitle(picture_.quantity);
    double lowest = INFINITY;
    for (std::size_t ridge = layout_.ridges().size(); ridge-- > 0;) {
      const double y = layout_.baselineOf(ridge);
      if (lowest - y < line_) continue;
      lowest = y;
      painter_.drawText(
          QRectF(0, y - line_ / 2, area.left() - kHistogramGap, line_),
          Qt::AlignRight | Qt::AlignVCenter,
          countText(static_cast<qint64>(picture_.columns[layout_.ridges()[ridge]].step)));
    }
    painter_.drawText(
        QRectF(0, area.top() - line_ - kHistogramTick, area.left() - kHistogramGap, line_),
        Qt::AlignRight | Qt::AlignVCenter,
        u"step"_s);
  }

  /// The share that is as high as a ridge: the greatest one, without the cell of 0, which many
  /// activations share.
  double tallestShare() const {
    const HistogramGrid& grid = picture_.grid;
    const double zero =
        HistogramGrid::kRows * (grid.scale.placeOf(0) - grid.low) / (grid.high - grid.low);
    double tallest = 0;
    for (const std::size_t column : layout_.ridges()) {
      for (int row = 0; row < HistogramGrid::kRows; ++row) {
        if (std::abs(row + 0.5 - zero) <= 1) continue;
        tallest = std::max(tallest, grid.shareAt(column, row));
      }
    }
    return tallest > 0 ? tallest : grid.greatestShare();
  }

  void ridges() {
    const QRectF& area = layout_.area();
    const double tallest = std::max(tallestShare(), 1e-30);
    painter_.save();
    painter_.setClipRect(area.adjusted(0, -kHistogramTick, 0, 1));
    for (std::size_t ridge = 0; ridge < layout_.ridges().size(); ++ridge) {
      const std::size_t column = layout_.ridges()[ridge];
      const double base = layout_.baselineOf(ridge);
      QPolygonF line;
      for (int row = 0; row < HistogramGrid::kRows; ++row) {
        const double share = std::min(1.0, picture_.grid.shareAt(column, row) / tallest);
        line << QPointF(layout_.positionOf(picture_.grid.placeOfRow(row + 0.5)),
                        base - share * layout_.ridgeHeight());
      }
      QPainterPath filled;
      filled.moveTo(line.front().x(), base);
      for (const QPointF& point : line) filled.lineTo(point);
      filled.lineTo(line.back().x(), base);
      QColor fill = colors_.page;
      fill.setAlphaF(0.86F);
      painter_.fillPath(filled, fill);
      const bool isMarked = picture_.marked == column;
      const double age =
          static_cast<double>(ridge + 1) / static_cast<double>(layout_.ridges().size());
      QColor color = isMarked ? colors_.accent : colors_.series[0];
      if (!isMarked) color.setAlphaF(static_cast<float>(0.35 + 0.65 * age));
      painter_.setPen(QPen(color, isMarked ? 2 : 1.2));
      painter_.setBrush(Qt::NoBrush);
      painter_.drawPolyline(line);
    }
    painter_.restore();
  }

  void crosshair() {
    if (!picture_.marked) return;
    const QRectF& area = layout_.area();
    QColor color = colors_.text;
    color.setAlphaF(0.7F);
    painter_.setPen(QPen(color, 1, Qt::DashLine));
    const double position = layout_.positionOf(picture_.grid.scale.placeOf(picture_.markedValue));
    if (picture_.form == HistogramForm::ridges) {
      painter_.drawLine(QPointF(position, area.top()), QPointF(position, area.bottom()));
      return;
    }
    const auto step = static_cast<double>(picture_.columns[*picture_.marked].step);
    const double x = layout_.xOfStep((step + layout_.endOf(*picture_.marked)) / 2);
    painter_.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
    painter_.drawLine(QPointF(area.left(), position), QPointF(area.right(), position));
  }

  QPainter& painter_;
  const HistogramPicture& picture_;
  HistogramLayout layout_;
  QSizeF size_;
  const Colors& colors_;
  double line_;
};

}  // namespace

void paintHistograms(QPainter& painter,
                     const HistogramPicture& picture,
                     const QSizeF& size,
                     const Colors& colors) {
  if (!picture.isEmpty()) Painting(painter, picture, size, colors).all();
}

}  // namespace lambda
