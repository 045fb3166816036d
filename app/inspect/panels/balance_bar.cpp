#include "app/inspect/panels/balance_bar.h"

#include <algorithm>

#include <QPainter>

#include "widgets/text/quantity_text.h"
#include "widgets/theme/accessible_parts.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr double kBarHeight = 6;
constexpr int kLeastWidth = 120;

}  // namespace

BalanceBar::BalanceBar(QWidget* parent) : QWidget(parent) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  describeLines(*this, [this] { return balance_ ? QStringList(text()) : QStringList(); });
  setAccessibleName(u"Balance of content and position"_s);
}

void BalanceBar::setBalance(std::optional<PartBalance> balance) {
  balance_ = balance;
  setAccessibleDescription(text());
  setToolTip(balance ? text() + u"\n"_s +
                           u"Energy of the output at the query: content %1, position %2. Cosine "
                           "between the two parts: %3."_s.arg(numberText(balance->contentEnergy),
                                                              numberText(balance->positionEnergy),
                                                              numberText(balance->cosine))
                     : QString());
  updateGeometry();
  update();
}

double BalanceBar::contentShare() const {
  const double sum = balance_ ? balance_->contentEnergy + balance_->positionEnergy : 0;
  return sum > 0 ? balance_->contentEnergy / sum : 0;
}

QString BalanceBar::text() const {
  if (!balance_) return {};
  return u"Content %1 · position %2 · cosine %3"_s.arg(percentText(contentShare(), 0),
                                                       percentText(1 - contentShare(), 0),
                                                       numberText(balance_->cosine, 2));
}

void BalanceBar::paintEvent(QPaintEvent* /*event*/) {
  if (!balance_) return;
  const Colors& colors = colorsOf(*this);
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  const QRectF bar(0, height() - kBarHeight - 1, width(), kBarHeight);
  painter.setBrush(colors.series[1]);
  painter.drawRoundedRect(bar, 3, 3);
  painter.save();
  painter.setClipRect(QRectF(bar.left(), bar.top(), bar.width() * contentShare(), bar.height()));
  painter.setBrush(colors.series[0]);
  painter.drawRoundedRect(bar, 3, 3);
  painter.restore();
  painter.setFont(smallFont());
  painter.setPen(colors.textSecondary);
  painter.drawText(QRectF(0, 0, width(), bar.top() - 1),
                   Qt::AlignLeft | Qt::AlignVCenter,
                   QFontMetricsF(smallFont()).elidedText(text(), Qt::ElideMiddle, width()));
}

QSize BalanceBar::sizeHint() const {
  const QFontMetrics metrics(smallFont());
  return {std::max(kLeastWidth, metrics.horizontalAdvance(text()) + 2),
          metrics.height() + static_cast<int>(kBarHeight) + 4};
}

QSize BalanceBar::minimumSizeHint() const {
  return {kLeastWidth, sizeHint().height()};
}

}  // namespace lambda
