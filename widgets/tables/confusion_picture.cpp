#include "widgets/tables/confusion_picture.h"

#include <algorithm>
#include <cmath>

#include <QFontMetricsF>
#include <QLinearGradient>
#include <QPainter>

#include "widgets/tables/confusion_layout.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/shown_text.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr double kPictureGap = ConfusionLayout::kGap;
constexpr double kPictureMargin = ConfusionLayout::kMargin;
/// The smallest cell that a number fits into.
constexpr double kTextCell = 18;
constexpr double kLegendWidth = 120;
constexpr double kLegendGap = 3 * kPictureGap;
/// Gap between the bar of a scale and its text.
constexpr double kBarGap = 6;

/// The colours of right and wrong predictions: blue and orange differ with any colour vision.
const QColor& groundOf(bool isRight, const Colors& colors) {
  return colors.series[isRight ? 0 : 1];
}

/// The background of a cell: no colour at 0, this share of its colour at most.
constexpr double kStrongest = 0.75;

QColor tinted(const Colors& colors, bool isRight, double part) {
  const QColor& ground = groundOf(isRight, colors);
  const double share = kStrongest * std::clamp(part, 0.0, 1.0);
  const auto mix = [share](int a, int b) {
    return static_cast<int>(std::lround(a + share * (b - a)));
  };
  return QColor(mix(colors.page.red(), ground.red()),
                mix(colors.page.green(), ground.green()),
                mix(colors.page.blue(), ground.blue()));
}

/// Dark or light, whichever has more contrast with this background.
QColor textOn(const QColor& ground, const Colors& colors) {
  const auto luminance = [](const QColor& color) {
    return 0.2126 * std::pow(color.redF(), 2.2) + 0.7152 * std::pow(color.greenF(), 2.2) +
           0.0722 * std::pow(color.blueF(), 2.2);
  };
  const auto contrast = [&](const QColor& a, const QColor& b) {
    const double x = luminance(a) + 0.05, y = luminance(b) + 0.05;
    return std::max(x, y) / std::min(x, y);
  };
  const QColor other = colors.dark ? colors.page : QColor(Qt::white);
  return contrast(colors.text, ground) >= contrast(other, ground) ? colors.text : other;
}

QString cellText(const ConfusionPicture& picture, const Cell& cell) {
  if (picture.countAt(cell) == 0) return {};
  if (picture.scale == ConfusionScale::counts) return countText(picture.countAt(cell));
  const double percent = 100 * picture.rowShare(cell);
  return fixedText(percent, percent < 9.95 ? 1 : 0);
}

class Painting {
 public:
  Painting(QPainter& painter,
           const ConfusionPicture& picture,
           const QSizeF& size,
           const Colors& colors)
      : painter_(painter),
        picture_(picture),
        size_(size),
        colors_(colors),
        layout_(layoutOf(picture, size)) {}

  void all() {
    painter_.save();
    title();
    cells();
    names();
    shares();
    legend();
    frames();
    painter_.restore();
  }

 private:
  void title() {
    if (picture_.title.isEmpty()) return;
    painter_.setFont(headingFont());
    painter_.setPen(colors_.text);
    painter_.drawText(QRectF(kPictureMargin,
                             kPictureMargin,
                             size_.width() - 2 * kPictureMargin,
                             layout_.titleHeight),
                      Qt::AlignLeft | Qt::AlignTop,
                      picture_.title);
  }

  void cells() {
    const double worst = picture_.worstShare();
    const bool hasText = layout_.cell >= kTextCell * textScale();
    painter_.setFont(layout_.cell >= 2 * kTextCell ? numberFont() : smallFont());
    const double gap = layout_.cell >= kTextCell ? 1 : 0;
    for (int row = 0; row < picture_.matrix.classes; ++row) {
      for (int column = 0; column < picture_.matrix.classes; ++column) {
        const Cell cell{row, column};
        const bool isRight = row == column;
        const double share = picture_.rowShare(cell);
        const QColor ground =
            tinted(colors_, isRight, isRight || worst == 0 ? share : share / worst);
        const QRectF rect = layout_.rectOf(cell).adjusted(0, 0, -gap, -gap);
        painter_.fillRect(rect, share > 0 ? ground : colors_.surface);
        if (!hasText) continue;
        painter_.setPen(textOn(ground, colors_));
        painter_.drawText(rect, Qt::AlignCenter, cellText(picture_, cell));
      }
    }
  }

  void names() {
    const QFontMetricsF metrics(smallFont());
    for (int i = 0; i < picture_.matrix.classes; ++i) {
      const QString elided = metrics.elidedText(
          picture_.classNames.value(i), Qt::ElideRight, ConfusionLayout::longestName());
      const QRectF cell = layout_.rectOf({i, i});
      if (layout_.nameWidth > 0) {
        setNameFont(picture_.hovered && picture_.hovered->row == i,
                    picture_.current && picture_.current->row == i);
        painter_.drawText(QRectF(layout_.matrix.left() - kPictureGap - layout_.nameWidth,
                                 cell.top(),
                                 layout_.nameWidth,
                                 cell.height()),
                          Qt::AlignRight | Qt::AlignVCenter,
                          elided);
      }
      if (layout_.nameHeight > 0) {
        setNameFont(picture_.hovered && picture_.hovered->column == i,
                    picture_.current && picture_.current->column == i);
        columnName(cell, elided);
      }
    }
    axisTitles();
  }

  void columnName(const QRectF& cell, const QString& name) {
    const double bottom = layout_.matrix.top() - kPictureGap / 2;
    if (!layout_.uprightNames) {
      painter_.drawText(
          QRectF(cell.left(), bottom - layout_.nameHeight, cell.width(), layout_.nameHeight),
          Qt::AlignHCenter | Qt::AlignBottom,
          name);
      return;
    }
    painter_.save();
    painter_.translate(cell.center().x(), bottom);
    painter_.rotate(-90);
    painter_.drawText(QRectF(0, -cell.width() / 2, layout_.nameHeight, cell.width()),
                      Qt::AlignLeft | Qt::AlignVCenter,
                      name);
    painter_.restore();
  }

  void setNameFont(bool isHovered, bool isCurrent) {
    QFont font = smallFont();
    if (isCurrent) font.setWeight(QFont::DemiBold);
    painter_.setFont(font);
    painter_.setPen(isHovered || isCurrent ? colors_.text : colors_.textSecondary);
  }

  void axisTitles() {
    const double line = QFontMetricsF(smallFont()).height();
    painter_.setFont(smallFont());
    painter_.setPen(colors_.textSecondary);
    const double top =
        layout_.matrix.top() - kPictureGap / 2 - layout_.nameHeight - line - kPictureGap / 2;
    painter_.drawText(QRectF(layout_.matrix.left(), top, layout_.matrix.width(), line),
                      Qt::AlignHCenter | Qt::AlignVCenter,
                      picture_.scale == ConfusionScale::counts
                          ? u"Predicted as"_s
                          : u"Predicted as, % of the true class"_s);
    painter_.save();
    painter_.translate(layout_.matrix.left() - 1.5 * kPictureGap - layout_.nameWidth - line,
                       layout_.matrix.center().y());
    painter_.rotate(-90);
    painter_.drawText(QRectF(-layout_.matrix.height() / 2, 0, layout_.matrix.height(), line),
                      Qt::AlignCenter,
                      u"True class"_s);
    painter_.restore();
  }

  void shares() {
    if (layout_.nameWidth == 0) return;
    const double left = layout_.matrix.right() + kPictureGap / 2;
    const double line = QFontMetricsF(smallFont()).height();
    painter_.setFont(smallFont());
    painter_.setPen(colors_.textSecondary);
    painter_.drawText(
        QRectF(left, layout_.matrix.top() - kPictureGap / 2 - line, layout_.shareWidth, line),
        Qt::AlignRight | Qt::AlignBottom,
        u"correct"_s);
    for (int i = 0; i < picture_.matrix.classes; ++i) {
      if (picture_.rowTotal(i) == 0) continue;
      const QRectF cell = layout_.rectOf({i, i});
      painter_.drawText(QRectF(left, cell.top(), layout_.shareWidth, cell.height()),
                        Qt::AlignRight | Qt::AlignVCenter,
                        percentText(picture_.rowShare({i, i})));
    }
  }

  void legend() {
    const QString worst = percentText(picture_.worstShare());
    QString right = u"correct, 0 to 100 % of a row"_s, wrong = u"wrong, 0 to %1"_s.arg(worst);
    const auto widthOf = [this](const QString& text) {
      return barWidth() + kBarGap + QFontMetricsF(smallFont()).horizontalAdvance(text);
    };
    const auto needed = [&] { return widthOf(right) + kLegendGap + widthOf(wrong); };
    const double space = size_.width() - 2 * kPictureMargin;
    if (needed() > space) {
      right = u"correct"_s;
      wrong = u"wrong, to %1"_s.arg(worst);
    }
    const double left = std::clamp(size_.width() - kPictureMargin - needed(),
                                   kPictureMargin,
                                   std::max(kPictureMargin, layout_.matrix.left()));
    const double top = layout_.matrix.bottom() + 1.5 * kPictureGap;
    scaleBar(left, top, true, right);
    scaleBar(left + widthOf(right) + kLegendGap, top, false, wrong);
  }

  double barWidth() const { return std::min(kLegendWidth / 2, layout_.matrix.width() / 8); }

  void scaleBar(double left, double top, bool isRight, const QString& text) {
    const QFontMetricsF metrics(smallFont());
    QLinearGradient gradient(left, 0, left + barWidth(), 0);
    gradient.setColorAt(0, tinted(colors_, isRight, 0));
    gradient.setColorAt(1, tinted(colors_, isRight, 1));
    painter_.fillRect(QRectF(left, top + metrics.height() / 2 - 4, barWidth(), 8), gradient);
    painter_.setPen(colors_.textSecondary);
    painter_.setFont(smallFont());
    painter_.drawText(QRectF(left + barWidth() + kBarGap,
                             top,
                             metrics.horizontalAdvance(text) + 2,
                             metrics.height()),
                      Qt::AlignLeft | Qt::AlignVCenter,
                      text);
  }

  void frames() {
    painter_.setBrush(Qt::NoBrush);
    const auto frame = [this](const Cell& cell, const QColor& color, double width) {
      painter_.setPen(QPen(color, width, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
      painter_.drawRect(layout_.rectOf(cell).adjusted(0, 0, -1, -1));
    };
    if (picture_.hovered) frame(*picture_.hovered, colors_.textSecondary, 1);
    if (picture_.current)
      frame(*picture_.current, picture_.hasFocus ? colors_.accent : colors_.text, 2);
  }

  QPainter& painter_;
  const ConfusionPicture& picture_;
  QSizeF size_;
  const Colors& colors_;
  ConfusionLayout layout_;
};

}  // namespace

std::int64_t ConfusionPicture::countAt(const Cell& cell) const {
  return matrix.counts[static_cast<std::size_t>(cell.row * matrix.classes + cell.column)];
}

std::int64_t ConfusionPicture::rowTotal(int row) const {
  std::int64_t total = 0;
  for (int column = 0; column < matrix.classes; ++column) total += countAt({row, column});
  return total;
}

double ConfusionPicture::rowShare(const Cell& cell) const {
  const std::int64_t total = rowTotal(cell.row);
  return total > 0 ? static_cast<double>(countAt(cell)) / static_cast<double>(total) : 0;
}

double ConfusionPicture::worstShare() const {
  double worst = 0;
  for (int row = 0; row < matrix.classes; ++row) {
    for (int column = 0; column < matrix.classes; ++column) {
      if (row != column) worst = std::max(worst, rowShare({row, column}));
    }
  }
  return worst;
}

void paintConfusion(QPainter& painter,
                    const ConfusionPicture& picture,
                    const QSizeF& size,
                    const Colors& colors) {
  if (picture.matrix.classes > 0) Painting(painter, picture, size, colors).all();
}

}  // namespace lambda
