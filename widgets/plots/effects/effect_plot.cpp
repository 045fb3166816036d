#include "widgets/plots/effects/effect_plot.h"

#include <algorithm>
#include <utility>

#include <QEvent>
#include <QPainter>

#include "engine/values/text/text.h"
#include "widgets/export/csv_field.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/colors.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr QSize kPreferredSize(720, 240);
constexpr QSize kSmallestSize(320, 120);
constexpr double kGap = 8;
constexpr double kMostOfNames = 0.35;  // Share of the width.
constexpr double kPointRadius = 3;
constexpr double kMeanHeight = 14;
constexpr double kMargin = 0.05;  // Share of the range, on each side.
constexpr int kTicks = 4;

std::optional<Interval> rangeOf(const std::vector<EffectRow>& rows) {
  std::vector<double> values;
  for (const EffectRow& row : rows) {
    values.insert(values.end(), row.values.begin(), row.values.end());
    if (!row.summary.interval) continue;
    values.push_back(row.summary.interval->low);
    values.push_back(row.summary.interval->high);
  }
  if (values.empty()) return std::nullopt;
  const auto [low, high] = std::ranges::minmax(values);
  const double margin = high > low ? (high - low) * kMargin : 1;
  return Interval{low - margin, high + margin};
}

}  // namespace

EffectPlot::EffectPlot(QWidget* parent) : QWidget(parent) {
  setAccessibleName(u"Effects of the variants"_s);
}

void EffectPlot::setRows(const QString& title, std::vector<EffectRow> rows, std::size_t baseline) {
  title_ = title;
  rows_ = std::move(rows);
  baseline_ = baseline;
  range_ = rangeOf(rows_);
  setAccessibleDescription(title_);
  update();
}

double EffectPlot::xOf(double value) const {
  return left_ + (value - range_->low) / (range_->high - range_->low) * (right_ - left_);
}

void EffectPlot::paintTo(QPainter& painter, const QSize& size, const Colors& colors) const {
  painter.fillRect(QRect(QPoint(), size), colors.page);
  painter.setRenderHint(QPainter::Antialiasing);
  if (!range_) {
    painter.setPen(colors.textSecondary);
    painter.drawText(QRect(QPoint(), size),
                     Qt::AlignCenter,
                     u"The effects are drawn once the first run is done."_s);
    return;
  }
  const QFontMetricsF metrics(painter.font());
  double names = 0;
  for (const EffectRow& row : rows_) names = std::max(names, metrics.horizontalAdvance(row.name));
  left_ = std::min(names, size.width() * kMostOfNames) + 2 * kGap;
  right_ = size.width() - 3 * kGap;
  const double bottom = size.height() - 2 * metrics.height() - kGap;
  painter.setPen(colors.hairline);
  painter.drawLine(QPointF(left_, bottom), QPointF(right_, bottom));
  painter.setPen(colors.textSecondary);
  for (int tick = 0; tick <= kTicks; ++tick) {
    const double value = range_->low + (range_->high - range_->low) * tick / kTicks;
    const QRectF place(xOf(value) - 40, bottom + 2, 80, metrics.height());
    painter.drawText(place, Qt::AlignCenter, numberText(value, 4));
  }
  painter.drawText(QRectF(left_, bottom + 2 + metrics.height(), right_ - left_, metrics.height()),
                   Qt::AlignCenter,
                   title_);
  if (rows_[baseline_].summary.count > 0) {
    const double x = xOf(rows_[baseline_].summary.mean);
    painter.setPen(QPen(colors.textSecondary, 1, Qt::DashLine));
    painter.drawLine(QPointF(x, 0), QPointF(x, bottom));
  }
  const double step = bottom / static_cast<double>(rows_.size());
  double y = step / 2;
  for (const EffectRow& row : rows_) {
    paintRow(painter, row, y, colors);
    y += step;
  }
}

void EffectPlot::paintRow(QPainter& painter,
                          const EffectRow& row,
                          double y,
                          const Colors& colors) const {
  const QFontMetricsF metrics(painter.font());
  painter.setPen(colors.text);
  painter.drawText(QRectF(kGap, y - metrics.height() / 2, left_ - 2 * kGap, metrics.height()),
                   Qt::AlignVCenter | Qt::AlignRight,
                   metrics.elidedText(row.name, Qt::ElideMiddle, left_ - 2 * kGap));
  if (row.summary.count == 0) return;
  painter.setPen(QPen(colors.series[0], 2));
  if (row.summary.interval) {
    painter.drawLine(QPointF(xOf(row.summary.interval->low), y),
                     QPointF(xOf(row.summary.interval->high), y));
  }
  const double mean = xOf(row.summary.mean);
  painter.drawLine(QPointF(mean, y - kMeanHeight / 2), QPointF(mean, y + kMeanHeight / 2));
  painter.setPen(QPen(colors.text, 1));
  painter.setBrush(Qt::NoBrush);
  for (const double value : row.values)
    painter.drawEllipse(QPointF(xOf(value), y), kPointRadius, kPointRadius);
}

QString EffectPlot::exportName() const {
  return u"effects"_s;
}

QSize EffectPlot::exportSize() const {
  return size().expandedTo(kPreferredSize);
}

QString EffectPlot::toCsv() const {
  if (!range_) return {};
  const auto number = [](double value) { return QString::fromStdString(formatNumber(value)); };
  QString csv = u"variant,count,mean,low,high\n"_s;
  for (const EffectRow& row : rows_) {
    const SampleSummary& summary = row.summary;
    csv += csvField(row.name) + u',' + QString::number(summary.count) + u',';
    if (summary.count > 0) csv += number(summary.mean);
    csv += u',';
    if (summary.interval) csv += number(summary.interval->low);
    csv += u',';
    if (summary.interval) csv += number(summary.interval->high);
    csv += u'\n';
  }
  return csv;
}

QSize EffectPlot::sizeHint() const {
  return kPreferredSize;
}

QSize EffectPlot::minimumSizeHint() const {
  return kSmallestSize;
}

void EffectPlot::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  paintTo(painter, size(), colorsOf(*this));
}

void EffectPlot::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) update();
}

}  // namespace lambda
