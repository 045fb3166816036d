#include "widgets/pictures/spectrum_view.h"

#include <algorithm>
#include <cmath>

#include <QFontMetricsF>
#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

#include "engine/values/text/text.h"
#include "widgets/pictures/spectrum.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr double kAxisWidth = 40;
constexpr double kDot = 3;  // radius

/// The limits and the area of the plot.
struct Plot {
  QRectF area;
  int count = 1;    // values of the longest spectrum
  double most = 1;  // the greatest value

  QPointF at(std::size_t index, float value) const {
    const double step = area.width() / count;
    return {area.left() + (static_cast<double>(index) + 0.5) * step,
            area.bottom() - area.height() * static_cast<double>(value) / most};
  }
};

QString legendText(const Spectrum& spectrum) {
  return SpectrumView::tr("%1, rank %2")
      .arg(spectrum.name, numberText(effectiveRank(spectrum.values), 3));
}

Plot plotFor(const std::vector<Spectrum>& spectra, const QSizeF& size) {
  const QFontMetricsF metrics(smallFont());
  const double line = metrics.height();
  const double left = kAxisWidth * textScale(), width = size.width() - left - 8;
  double legend = 0;
  for (const Spectrum& spectrum : spectra) {
    if (!spectrum.values.empty()) legend += metrics.horizontalAdvance(legendText(spectrum)) + 24;
  }
  const double top = line * (legend > width ? 2.6 : 1.6) + 4;
  Plot plot;
  plot.area = QRectF(left, top, width, size.height() - top - 1.6 * line - 4);
  double most = 0;
  for (const Spectrum& spectrum : spectra) {
    plot.count = std::max(plot.count, static_cast<int>(spectrum.values.size()));
    for (const float value : spectrum.values) {
      if (std::isfinite(value)) most = std::max(most, static_cast<double>(value));
    }
  }
  plot.most = most > 0 ? most * 1.05 : 1;
  return plot;
}

void paintFrame(QPainter& painter, const Plot& plot, const Colors& colors) {
  const double line = QFontMetricsF(smallFont()).height();
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.setPen(QPen(colors.hairline, 1));
  painter.drawLine(plot.area.bottomLeft(), plot.area.bottomRight());
  painter.setPen(colors.textSecondary);
  const QRectF low(0, plot.area.bottom() - line / 2, plot.area.left() - 6, line);
  painter.drawText(low, Qt::AlignRight | Qt::AlignVCenter, u"0"_s);
  const QRectF high(0, plot.area.top() - line / 2, plot.area.left() - 6, line);
  painter.drawText(high, Qt::AlignRight | Qt::AlignVCenter, numberText(plot.most / 1.05));
  const QRectF numbers(plot.area.left(), plot.area.bottom() + 4, plot.area.width(), line);
  painter.drawText(numbers, Qt::AlignLeft | Qt::AlignTop, u"1"_s);
  painter.drawText(numbers, Qt::AlignRight | Qt::AlignTop, QString::number(plot.count));
  painter.drawText(
      numbers, Qt::AlignHCenter | Qt::AlignTop, SpectrumView::tr("singular value number"));
}

void paintLegend(QPainter& painter,
                 const std::vector<Spectrum>& spectra,
                 const Plot& plot,
                 const Colors& colors) {
  const QFontMetricsF metrics(smallFont());
  double left = plot.area.left(), top = 0;
  for (std::size_t i = 0; i < spectra.size(); ++i) {
    if (spectra[i].values.empty()) continue;
    const QString text = legendText(spectra[i]);
    const double end = left + 2 * kDot + 4 + metrics.horizontalAdvance(text);
    if (end > plot.area.right() && left > plot.area.left()) {
      left = plot.area.left();
      top += metrics.height();
    }
    painter.setPen(Qt::NoPen);
    painter.setBrush(colors.series[i % colors.series.size()]);
    painter.drawEllipse(QPointF(left + kDot, top + metrics.height() / 2 + 1), kDot, kDot);
    painter.setPen(colors.textSecondary);
    left += 2 * kDot + 4;
    painter.drawText(QPointF(left, top + metrics.ascent() + 1), text);
    left += metrics.horizontalAdvance(text) + 14;
  }
}

}  // namespace

SpectrumView::SpectrumView(QWidget* parent) : QWidget(parent) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  setAccessibleName(tr("Singular values"));
}

void SpectrumView::setSpectra(std::vector<Spectrum> spectra) {
  spectra_ = std::move(spectra);
  QStringList lines;
  for (const Spectrum& spectrum : spectra_) {
    if (!spectrum.values.empty()) lines << legendText(spectrum);
  }
  setAccessibleDescription(lines.join(u"; "_s));
  update();
}

void SpectrumView::paintTo(QPainter& painter, const QSize& size, const Colors& colors) const {
  if (toCsv().isEmpty()) return;
  const Plot plot = plotFor(spectra_, size);
  painter.setFont(smallFont());
  paintFrame(painter, plot, colors);
  painter.setRenderHint(QPainter::Antialiasing);
  paintLegend(painter, spectra_, plot, colors);
  for (std::size_t i = 0; i < spectra_.size(); ++i) {
    const QColor color = colors.series[i % colors.series.size()];
    QPolygonF line;
    for (std::size_t index = 0; index < spectra_[i].values.size(); ++index) {
      const float value = spectra_[i].values[index];
      if (std::isfinite(value)) line << plot.at(index, value);
    }
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(color, 1.2));
    painter.drawPolyline(line);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    for (const QPointF& point : line) painter.drawEllipse(point, kDot, kDot);
  }
}

void SpectrumView::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  paintTo(painter, size(), colorsOf(*this));
}

void SpectrumView::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) update();
  QWidget::changeEvent(event);
}

bool SpectrumView::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip || toCsv().isEmpty()) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const Plot plot = plotFor(spectra_, size());
  const double place = (help->pos().x() - plot.area.left()) / plot.area.width() * plot.count;
  const auto index = static_cast<std::size_t>(std::clamp(place, 0.0, plot.count - 1.0));
  QStringList lines{tr("Singular value %1").arg(index + 1)};
  for (const Spectrum& spectrum : spectra_) {
    if (index >= spectrum.values.size()) continue;
    lines << spectrum.name + u": "_s + numberText(static_cast<double>(spectrum.values[index]), 4);
  }
  QToolTip::showText(help->globalPos(), lines.join(u'\n'), this);
  return true;
}

QSize SpectrumView::exportSize() const {
  return {480, 240};
}

QString SpectrumView::toCsv() const {
  QString csv = u"matrix,number,value\n"_s;
  bool hasValues = false;
  for (const Spectrum& spectrum : spectra_) {
    for (std::size_t i = 0; i < spectrum.values.size(); ++i) {
      hasValues = true;
      csv += spectrum.name + u","_s + QString::number(i + 1) + u","_s +
             QString::fromStdString(formatNumber(static_cast<double>(spectrum.values[i]))) +
             u"\n"_s;
    }
  }
  return hasValues ? csv : QString();
}

QSize SpectrumView::sizeHint() const {
  return {360, 150};
}

QSize SpectrumView::minimumSizeHint() const {
  return {180, 110};
}

}  // namespace lambda
