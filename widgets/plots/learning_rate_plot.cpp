#include "widgets/plots/learning_rate_plot.h"

#include <algorithm>
#include <cmath>

#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>

#include "engine/values/text/text.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr double kTop = 4;
constexpr double kRight = 8;

}  // namespace

LearningRatePlot::LearningRatePlot(QWidget* parent) : QWidget(parent) {
  setMouseTracking(true);
  setAccessibleName(tr("Learning rate over the run"));
}

void LearningRatePlot::setCurve(std::vector<std::pair<double, double>> curve, int epochs) {
  curve_ = std::move(curve);
  epochs_ = std::max(epochs, 1);
  double peak = 0;
  for (const auto& [epoch, rate] : curve_) peak = std::max(peak, rate);
  if (!curve_.empty()) {
    setAccessibleDescription(tr("From %1 over at most %2 to %3 in %4 epochs")
                                 .arg(roundedText(curve_.front().second),
                                      roundedText(peak),
                                      roundedText(curve_.back().second))
                                 .arg(epochs_));
  }
  update();
}

void LearningRatePlot::setPosition(double epoch) {
  if (epoch == position_) return;
  position_ = epoch;
  update();
}

double LearningRatePlot::rateAt(double epoch) const {
  const auto after = std::ranges::lower_bound(curve_, epoch, {}, &std::pair<double, double>::first);
  if (after == curve_.end()) return curve_.back().second;
  if (after == curve_.begin()) return after->second;
  const auto before = after - 1;
  const double width = after->first - before->first;
  const double share = width > 0 ? (epoch - before->first) / width : 0;
  return before->second + share * (after->second - before->second);
}

QRectF LearningRatePlot::plotRect(const QSize& size) const {
  const QFontMetricsF metrics(smallFont());
  double peak = 0;
  for (const auto& [epoch, rate] : curve_) peak = std::max(peak, rate);
  const double left =
      std::max(metrics.horizontalAdvance(roundedText(peak)), metrics.horizontalAdvance(u"0.00"_s)) +
      8;
  return {left,
          kTop + metrics.height() / 2,
          size.width() - left - kRight,
          size.height() - kTop - metrics.height() / 2 - metrics.height() - 6};
}

void LearningRatePlot::paintTo(QPainter& painter, const QSize& size, const Colors& colors) const {
  if (curve_.empty()) return;
  const QRectF rect = plotRect(size);
  const QFontMetricsF metrics(smallFont());
  double peak = 0;
  for (const auto& [epoch, rate] : curve_) peak = std::max(peak, rate);
  const double top = peak > 0 ? peak : 1;
  const auto at = [&](double epoch, double rate) {
    return QPointF(rect.left() + rect.width() * std::clamp(epoch / epochs_, 0.0, 1.0),
                   rect.bottom() - rect.height() * rate / top);
  };
  QPainterPath line;
  for (std::size_t i = 0; i < curve_.size(); ++i) {
    const QPointF point = at(curve_[i].first, curve_[i].second);
    i == 0 ? line.moveTo(point) : line.lineTo(point);
  }
  QPainterPath area = line;
  area.lineTo(rect.bottomRight());
  area.lineTo(rect.bottomLeft());
  QColor fill = colors.series[0];
  fill.setAlpha(26);
  painter.fillPath(area, fill);

  painter.setFont(smallFont());
  painter.setPen(QPen(colors.hairline, 1));
  painter.drawLine(QPointF(rect.left(), rect.bottom() + 0.5),
                   QPointF(rect.right(), rect.bottom() + 0.5));
  painter.setPen(QPen(colors.series[0], 1.6, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  painter.setBrush(Qt::NoBrush);
  painter.drawPath(line);

  painter.setPen(colors.textSecondary);
  const auto label = [&](const QRectF& box, Qt::Alignment side, const QString& text) {
    painter.drawText(box, side | Qt::AlignVCenter, text);
  };
  const double height = metrics.height();
  label({0, rect.top() - height / 2, rect.left() - 6, height}, Qt::AlignRight, roundedText(peak));
  label({0, rect.bottom() - height / 2, rect.left() - 6, height}, Qt::AlignRight, u"0"_s);
  const QRectF below(rect.left(), rect.bottom() + 4, rect.width(), height);
  label(below, Qt::AlignLeft, u"0"_s);
  label(below,
        Qt::AlignRight,
        epochs_ == 1 ? tr("1 epoch") : tr("%1 epochs").arg(countText(epochs_)));
  drawPlaces(painter, colors, rect, below, at);
}

void LearningRatePlot::drawPlaces(QPainter& painter,
                                  const Colors& colors,
                                  const QRectF& rect,
                                  const QRectF& below,
                                  const std::function<QPointF(double, double)>& at) const {
  if (position_ >= 0) {
    const QPointF here = at(position_, rateAt(position_));
    painter.setPen(QPen(colors.page, 1.5));
    painter.setBrush(colors.series[0]);
    painter.drawEllipse(here, 4, 4);
  }
  if (hovered_ < 0) return;
  const QPointF here = at(hovered_, rateAt(hovered_));
  painter.setPen(QPen(colors.textDisabled, 1));
  painter.drawLine(QPointF(here.x(), rect.top()), QPointF(here.x(), rect.bottom()));
  painter.setPen(colors.text);
  painter.drawText(below,
                   Qt::AlignHCenter | Qt::AlignVCenter,
                   tr("%1 at epoch %2").arg(roundedText(rateAt(hovered_)), fixedText(hovered_, 1)));
}

void LearningRatePlot::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  paintTo(painter, size(), colorsOf(*this));
}

void LearningRatePlot::mouseMoveEvent(QMouseEvent* event) {
  const QRectF rect = plotRect(size());
  const double share = (event->position().x() - rect.left()) / std::max(rect.width(), 1.0);
  hovered_ = curve_.empty() || share < 0 || share > 1 ? -1 : share * epochs_;
  update();
}

void LearningRatePlot::leaveEvent(QEvent*) {
  hovered_ = -1;
  update();
}

QString LearningRatePlot::exportName() const {
  return u"learning-rate"_s;
}

QSize LearningRatePlot::exportSize() const {
  return {480, 240};
}

QString LearningRatePlot::toCsv() const {
  std::string text = "epoch,learning rate\n";
  for (const auto& [epoch, rate] : curve_) {
    text += formatNumber(epoch) + ',' + formatNumber(rate) + '\n';
  }
  return curve_.empty() ? QString() : QString::fromStdString(text);
}

QSize LearningRatePlot::sizeHint() const {
  return {280, qRound(92 * textScale())};
}

QSize LearningRatePlot::minimumSizeHint() const {
  return {160, qRound(72 * textScale())};
}

}  // namespace lambda
