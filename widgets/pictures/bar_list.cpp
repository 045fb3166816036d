#include "widgets/pictures/bar_list.h"

#include <algorithm>

#include <QFontMetricsF>
#include <QPainter>

#include "engine/values/text/text.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/accessible_parts.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/spacing.h"
#include "widgets/theme/tool_tips.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr double kBarHeight = 10;
constexpr double kMarkWidth = 16;  // the tick before the true class' name
constexpr double kLeastBar = 40;   // down to this length, bars give way to whole names

void paintMark(QPainter& painter, const QPointF& center, const QColor& color) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(color, 1.8, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  const QPointF tick[] = {
      center + QPointF(-4, 0), center + QPointF(-1, 3.5), center + QPointF(4.5, -4)};
  painter.drawPolyline(tick, 3);
  painter.restore();
}

}  // namespace

BarList::BarList(QWidget* parent) : QWidget(parent) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  describeLines(*this, [this] { return lines(); });
  setAccessibleName(u"Class probabilities"_s);
  setToolTips(*this, [this](const QPoint& at) {
    const int row = at.y() / rowHeight() - (title_.isEmpty() ? 0 : 1);
    if (row < 0 || row >= static_cast<int>(bars_.size())) return QString();
    const Bar& bar = bars_[static_cast<std::size_t>(row)];
    return bar.name + u": "_s + numberText(bar.value, 5);
  });
}

void BarList::setBars(std::vector<Bar> bars) {
  bars_ = std::move(bars);
  setAccessibleDescription(lines().join(u", "_s));
  updateGeometry();
  update();
}

QStringList BarList::lines() const {
  QStringList lines;
  for (const Bar& bar : bars_) {
    lines << bar.name + u" "_s + percentText(bar.value) + (bar.isTrue ? u" (true class)"_s : u""_s);
  }
  return lines;
}

void BarList::setTitle(const QString& title) {
  title_ = title;
  updateGeometry();
  update();
}

int BarList::rowHeight() const {
  return static_cast<int>(QFontMetricsF(bodyFont()).height()) + 8;
}

void BarList::paintTo(QPainter& painter, const QSize& size, const Colors& colors) const {
  QFont bold = bodyFont();
  bold.setWeight(QFont::DemiBold);
  const QFontMetricsF metrics(bold);
  double names = 0;
  for (const Bar& bar : bars_) names = std::max(names, metrics.horizontalAdvance(bar.name));
  const double numbers =
      QFontMetricsF(numberFont()).horizontalAdvance(u"100.0 %"_s) + spacing::kGap;
  const double shared = size.width() - kMarkWidth - spacing::kGap - numbers;
  names = std::clamp(shared - kLeastBar, 0.0, names);
  const double left = kMarkWidth + names + spacing::kGap;
  const double space = std::max(kLeastBar, shared - names);
  double top = 0;
  if (!title_.isEmpty()) {
    QFont font = smallFont();
    font.setWeight(QFont::DemiBold);
    painter.setFont(font);
    painter.setPen(colors.text);
    painter.drawText(QRectF(0, 0, size.width(), rowHeight()), Qt::AlignVCenter, title_);
    top += rowHeight();
  }
  for (const Bar& bar : bars_) {
    const double center = top + rowHeight() / 2.0;
    if (bar.isTrue) paintMark(painter, {kMarkWidth / 2 - 1, center}, colors.success);
    QFont font = bodyFont();
    if (bar.isTrue || bar.isChosen) font.setWeight(QFont::DemiBold);
    painter.setFont(font);
    painter.setPen(colors.text);
    painter.drawText(QRectF(kMarkWidth, top, names, rowHeight()),
                     Qt::AlignLeft | Qt::AlignVCenter,
                     QFontMetricsF(font).elidedText(bar.name, Qt::ElideMiddle, names));
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    const QRectF track(left, center - kBarHeight / 2, space, kBarHeight);
    painter.setBrush(colors.hover);
    painter.drawRoundedRect(track, 2, 2);
    QRectF filled = track;
    filled.setWidth(std::max(1.0, space * std::clamp(bar.value, 0.0, 1.0)));
    painter.setBrush(bar.isChosen ? colors.accent : colors.textDisabled);
    painter.drawRoundedRect(filled, 2, 2);
    painter.setFont(numberFont());
    painter.setPen(bar.isChosen ? colors.text : colors.textSecondary);
    painter.drawText(QRectF(track.right(), top, numbers, rowHeight()),
                     Qt::AlignRight | Qt::AlignVCenter,
                     percentText(bar.value));
    top += rowHeight();
  }
}

void BarList::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  paintTo(painter, size(), colorsOf(*this));
}

QSize BarList::exportSize() const {
  return {420, sizeHint().height()};
}

QString BarList::toCsv() const {
  if (bars_.empty()) return {};
  QString csv = u"class,probability,true,predicted\n"_s;
  for (const Bar& bar : bars_) {
    QString name = bar.name;
    csv += u"\""_s + name.replace(u'"', u"\"\""_s) + u"\","_s +
           QString::fromStdString(formatNumber(bar.value)) + u","_s +
           QString::number(bar.isTrue ? 1 : 0) + u","_s + QString::number(bar.isChosen ? 1 : 0) +
           u"\n"_s;
  }
  return csv;
}

QSize BarList::sizeHint() const {
  const auto rows = static_cast<int>(bars_.size()) + (title_.isEmpty() ? 0 : 1);
  return {320, std::max(1, rows) * rowHeight()};
}

QSize BarList::minimumSizeHint() const {
  return {200, sizeHint().height()};
}

}  // namespace lambda
