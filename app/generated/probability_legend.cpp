#include "app/generated/probability_legend.h"

#include <QPainter>

#include "app/generated/generated_text.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kBarWidth = 72;
constexpr int kGap = 6;

QString lowText() {
  return u"Probability 0 %"_s;
}

QString highText() {
  return u"100 %"_s;
}

}  // namespace

ProbabilityLegend::ProbabilityLegend(QWidget* parent) : QWidget(parent) {
  setAccessibleName(
      u"The colour of a character is its probability, strong at 0 % and none at 100 %"_s);
  setToolTip(
      u"How probable the network held the character that was drawn: without colour, it was sure"_s);
  setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
  onFontChange(*this, [this] { updateGeometry(); });
}

QSize ProbabilityLegend::sizeHint() const {
  const QFontMetrics metrics(smallFont());
  return {metrics.horizontalAdvance(lowText() + highText()) + 2 * kGap +
              qRound(kBarWidth * textScale()),
          metrics.height() + 2};
}

void ProbabilityLegend::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  const Colors& colors = colorsOf(*this);
  painter.setFont(smallFont());
  painter.setPen(colors.textSecondary);
  painter.drawText(rect(), Qt::AlignLeft | Qt::AlignVCenter, lowText());
  painter.drawText(rect(), Qt::AlignRight | Qt::AlignVCenter, highText());
  const QFontMetrics metrics(smallFont());
  const int left = metrics.horizontalAdvance(lowText()) + kGap;
  const int right = width() - metrics.horizontalAdvance(highText()) - kGap;
  QLinearGradient gradient(left, 0, right, 0);
  gradient.setColorAt(0, probabilityColor(colors, 0));
  gradient.setColorAt(1, probabilityColor(colors, 1));
  painter.setPen(colors.hairline);
  painter.setBrush(gradient);
  painter.drawRect(QRectF(left + 0.5, 2.5, right - left - 1, height() - 5));
}

}  // namespace lambda
