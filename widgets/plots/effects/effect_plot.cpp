#include "widgets/plots/effects/effect_plot.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <QFontMetricsF>
#include <QMouseEvent>
#include <QPainter>

#include "widgets/export/csv_field.h"
#include "widgets/plots/axes/axis_tickers.h"
#include "widgets/qcustomplot_include.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/spacing.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr QSize kPreferredSize(720, 240);
constexpr QSize kSmallestSize(320, 120);
constexpr double kMostOfNames = 0.35;  // Share of the width.
constexpr double kPointRadius = 3;
constexpr double kClickReach = 6;  // Of a point, in pixels.
constexpr double kMeanHeight = 14;
constexpr double kMargin = 0.05;   // Share of the range, on each side.
constexpr double kLeastStep = 20;  // Between rows, in files.
constexpr int kTicks = 5;
constexpr double kTickWidth = 80;

/// The range of all values and intervals, with a margin.
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

struct Tick {
  double value;
  QString text;
};

/// Round values in a range.
std::vector<Tick> ticksIn(const Interval& range) {
  const QSharedPointer<QCPAxisTicker> ticker = valueTicker(ValueUnit::number, false);
  ticker->setTickCount(kTicks);
  QVector<double> values;
  QVector<QString> texts;
  ticker->generate({range.low, range.high}, {}, u'g', 4, values, nullptr, &texts);
  std::vector<Tick> ticks;
  for (qsizetype i = 0; i < values.size(); ++i) {
    if (range.contains(values[i])) ticks.push_back({values[i], texts[i]});
  }
  return ticks;
}

}  // namespace

/// The axis of a drawing, in its pixels.
struct EffectPlot::Axis {
  Interval range;  ///< Between its ends.
  double left = 0;
  double right = 1;
  double y = 0;
  double step = 1;  ///< Between rows.

  double yOf(std::size_t row) const { return (static_cast<double>(row) + 0.5) * step; }

  double xOf(double value) const {
    return left + (value - range.low) / (range.high - range.low) * (right - left);
  }
};

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
  const Axis axis = axisFor(size, QFontMetricsF(painter.font()));
  paintAxis(painter, axis, colors);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    paintRow(painter, rows_[i], axis, axis.yOf(i), colors);
  }
}

EffectPlot::Axis EffectPlot::axisFor(const QSize& size, const QFontMetricsF& metrics) const {
  double names = 0;
  for (const EffectRow& row : rows_) names = std::max(names, metrics.horizontalAdvance(row.name));
  const double y = size.height() - 2 * metrics.height() - spacing::kGap;
  return {.range = *range_,
          .left = std::min(names, size.width() * kMostOfNames) + 2 * spacing::kGap,
          .right = size.width() - 3.0 * spacing::kGap,
          .y = y,
          .step = y / static_cast<double>(rows_.size())};
}

void EffectPlot::paintAxis(QPainter& painter, const Axis& axis, const Colors& colors) const {
  const double height = QFontMetricsF(painter.font()).height();
  painter.setPen(colors.hairline);
  painter.drawLine(QPointF(axis.left, axis.y), QPointF(axis.right, axis.y));
  painter.setPen(colors.textSecondary);
  for (const Tick& tick : ticksIn(axis.range)) {
    const QRectF place(axis.xOf(tick.value) - kTickWidth / 2, axis.y + 2, kTickWidth, height);
    painter.drawText(place, Qt::AlignCenter, tick.text);
  }
  painter.drawText(QRectF(axis.left, axis.y + 2 + height, axis.right - axis.left, height),
                   Qt::AlignCenter,
                   title_);
  if (rows_[baseline_].summary.count == 0) return;
  const double x = axis.xOf(rows_[baseline_].summary.mean);
  painter.setPen(QPen(colors.textSecondary, 1, Qt::DashLine));
  painter.drawLine(QPointF(x, 0), QPointF(x, axis.y));
}

void EffectPlot::paintRow(
    QPainter& painter, const EffectRow& row, const Axis& axis, double y, const Colors& colors) {
  const QFontMetricsF metrics(painter.font());
  const double width = axis.left - 2 * spacing::kGap;
  painter.setPen(colors.text);
  painter.drawText(QRectF(spacing::kGap, y - metrics.height() / 2, width, metrics.height()),
                   Qt::AlignVCenter | Qt::AlignRight,
                   metrics.elidedText(row.name, Qt::ElideMiddle, width));
  if (row.summary.count == 0) return;
  painter.setPen(QPen(colors.series[0], 2));
  if (const auto& interval = row.summary.interval) {
    painter.drawLine(QPointF(axis.xOf(interval->low), y), QPointF(axis.xOf(interval->high), y));
  }
  const double mean = axis.xOf(row.summary.mean);
  painter.drawLine(QPointF(mean, y - kMeanHeight / 2), QPointF(mean, y + kMeanHeight / 2));
  painter.setPen(QPen(colors.text, 1));
  painter.setBrush(Qt::NoBrush);
  for (const double value : row.values) {
    painter.drawEllipse(QPointF(axis.xOf(value), y), kPointRadius, kPointRadius);
  }
}

QPointF EffectPlot::positionOf(std::size_t row, double value) const {
  const Axis axis = axisFor(size(), QFontMetricsF(font()));
  return {axis.xOf(value), axis.yOf(row)};
}

void EffectPlot::mousePressEvent(QMouseEvent* event) {
  const QPointF at = event->position();
  const bool isInside = range_ && at.y() >= 0 && at.y() < axisFor(size(), fontMetrics()).y;
  if (!isInside || event->button() != Qt::LeftButton) return QWidget::mousePressEvent(event);
  const auto place = static_cast<std::size_t>(at.y() / axisFor(size(), fontMetrics()).step);
  const std::size_t row = std::min(place, rows_.size() - 1);
  const EffectRow& clicked = rows_[row];
  for (std::size_t i = 0; i < clicked.runs.size(); ++i) {
    const QPointF away = positionOf(row, clicked.values[i]) - at;
    if (std::hypot(away.x(), away.y()) > kClickReach) continue;
    Q_EMIT runClicked(clicked.runs[i]);
    return;
  }
  Q_EMIT rowClicked(row);
}

QSize EffectPlot::exportSize() const {
  const auto rows = static_cast<double>(rows_.size());
  const QSize all(kPreferredSize.width(), qRound((rows + 3) * kLeastStep * textScale()));
  return size().expandedTo(kPreferredSize).expandedTo(all);
}

QString EffectPlot::toCsv() const {
  if (!range_) return {};
  QString csv = u"variant,count,mean,low,high\n"_s;
  for (const EffectRow& row : rows_) {
    const SampleSummary& summary = row.summary;
    csv += csvField(row.name) + u',' + QString::number(summary.count) + u',';
    if (summary.count > 0) csv += csvNumber(summary.mean);
    csv += u',';
    if (summary.interval) csv += csvNumber(summary.interval->low);
    csv += u',';
    if (summary.interval) csv += csvNumber(summary.interval->high);
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

}  // namespace lambda
