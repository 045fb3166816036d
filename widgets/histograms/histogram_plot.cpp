#include "widgets/histograms/histogram_plot.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QStringList>

#include "engine/values/text/text.h"
#include "widgets/histograms/histogram_layout.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/accessible_parts.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr QSize kPreferredSize(640, 400);
constexpr QSize kSmallestSize(220, 120);

/// The share of the finite values in the cell of a value.
double shareAround(const HistogramPicture& picture, std::size_t column, double value) {
  const HistogramGrid& grid = picture.grid;
  const double row =
      HistogramGrid::kRows * (grid.scale.placeOf(value) - grid.low) / (grid.high - grid.low);
  const int last = HistogramGrid::kRows - 1;
  return static_cast<double>(
      grid.shareAt(column, std::clamp(static_cast<int>(std::floor(row)), 0, last)));
}

}  // namespace

HistogramPlot::HistogramPlot(QWidget* parent) : QWidget(parent), exportName_(u"histograms"_s) {
  describeParts(*this,
                {[this] { return static_cast<int>(picture_.columns.size()); },
                 [this](int column) { return describedStep(static_cast<std::size_t>(column)); }},
                QAccessible::Chart);
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(u"Histograms over the steps"_s);
}

void HistogramPlot::setHistograms(const QString& title,
                                  const QString& quantity,
                                  std::vector<HistogramColumn> columns) {
  const std::int64_t step = picture_.marked ? picture_.columns[*picture_.marked].step : -1;
  picture_.title = title;
  picture_.quantity = quantity;
  picture_.columns = std::move(columns);
  picture_.grid = gridOf(picture_.columns, isLogarithmic_);
  const auto same = std::ranges::find(picture_.columns, step, &HistogramColumn::step);
  mark(same == picture_.columns.end()
           ? std::nullopt
           : std::optional(static_cast<std::size_t>(same - picture_.columns.begin())),
       picture_.markedValue);
  update();
}

void HistogramPlot::setForm(HistogramForm form) {
  picture_.form = form;
  update();
}

void HistogramPlot::setLogarithmic(bool on) {
  if (on == isLogarithmic_) return;
  isLogarithmic_ = on;
  picture_.grid = gridOf(picture_.columns, isLogarithmic_);
  mark(picture_.marked, picture_.markedValue);
  update();
}

void HistogramPlot::setQuantilesVisible(bool on) {
  picture_.showsQuantiles = on;
  update();
}

void HistogramPlot::setEmptyText(const QString& text) {
  emptyText_ = text;
  update();
}

void HistogramPlot::setExportName(const QString& name) {
  exportName_ = name;
}

QString HistogramPlot::readout() const {
  if (!picture_.marked) return {};
  const std::size_t column = *picture_.marked;
  QStringList parts{stepText(column)};
  if (picture_.columns[column].histogram->finiteCount() > 0) {
    parts << u"%1 of the values near %2"_s.arg(
        percentText(shareAround(picture_, column, picture_.markedValue)),
        numberText(picture_.markedValue));
  }
  return (parts << summaryOf(column)).join(u" · "_s);
}

QString HistogramPlot::stepText(std::size_t column) const {
  return u"Step %1"_s.arg(countText(static_cast<qint64>(picture_.columns[column].step)));
}

QStringList HistogramPlot::summaryOf(std::size_t column) const {
  const Histogram& histogram = *picture_.columns[column].histogram;
  const std::vector<double>& quantiles = picture_.grid.quantiles[column];
  QStringList parts;
  if (histogram.finiteCount() > 0) {
    parts << u"median %1, 90 % from %2 to %3"_s.arg(
        numberText(quantiles[2]), numberText(quantiles.front()), numberText(quantiles.back()));
  }
  const std::int64_t notFinite = histogram.notFiniteCount();
  if (notFinite > 0) {
    parts << u"not finite: %1 of %2"_s.arg(
        countText(static_cast<qint64>(notFinite)),
        countText(static_cast<qint64>(notFinite + histogram.finiteCount())));
  }
  return parts;
}

AccessiblePart HistogramPlot::describedStep(std::size_t column) const {
  const HistogramLayout layout(picture_, size());
  QRectF place = layout.area();
  if (picture_.form == HistogramForm::heatmap) {
    place.setLeft(layout.xOfStep(static_cast<double>(picture_.columns[column].step)));
    place.setRight(layout.xOfStep(layout.endOf(column)));
  }
  return {.name = stepText(column),
          .value = summaryOf(column).join(u", "_s),
          .place = place.toAlignedRect(),
          .isSelected = picture_.marked == column};
}

QString HistogramPlot::exportName() const {
  return exportName_;
}

QSize HistogramPlot::exportSize() const {
  return size().expandedTo(kPreferredSize);
}

void HistogramPlot::paintTo(QPainter& painter, const QSize& size, const Colors& colors) const {
  HistogramPicture picture = picture_;
  picture.marked.reset();
  paintHistograms(painter, picture, size, colors);
}

QString HistogramPlot::toCsv() const {
  if (picture_.isEmpty()) return {};
  std::string text = "step,low,high,count\n";
  for (const HistogramColumn& column : picture_.columns) {
    const std::string step = std::to_string(column.step) + ',';
    const auto add = [&](const std::string& low, const std::string& high, std::int64_t count) {
      if (count > 0) text += step + low + ',' + high + ',' + std::to_string(count) + '\n';
    };
    const Histogram& histogram = *column.histogram;
    add("-Infinity", "-Infinity", histogram.negativeInfinity);
    for (const HistogramBin& bin : binsOf(histogram)) {
      add(formatNumber(bin.low), formatNumber(bin.high), bin.count);
    }
    add("Infinity", "Infinity", histogram.positiveInfinity);
    add("NaN", "NaN", histogram.notANumber);
  }
  return QString::fromStdString(text);
}

QSize HistogramPlot::sizeHint() const {
  return kPreferredSize;
}

QSize HistogramPlot::minimumSizeHint() const {
  return kSmallestSize * textScale();
}

void HistogramPlot::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  const Colors& colors = colorsOf(*this);
  if (!picture_.isEmpty()) {
    paintHistograms(painter, picture_, size(), colors);
    return;
  }
  painter.setFont(bodyFont());
  painter.setPen(colors.textSecondary);
  painter.drawText(
      rect().adjusted(16, 16, -16, -16), Qt::AlignCenter | Qt::TextWordWrap, emptyText_);
}

void HistogramPlot::mouseMoveEvent(QMouseEvent* event) {
  const auto found = HistogramLayout(picture_, size()).at(event->position());
  if (!found) return mark(std::nullopt, 0);
  mark(found->first, picture_.grid.scale.valueAt(found->second));
}

void HistogramPlot::leaveEvent(QEvent* event) {
  mark(std::nullopt, 0);
  QWidget::leaveEvent(event);
}

void HistogramPlot::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Left) return walk(-1);
  if (event->key() == Qt::Key_Right) return walk(1);
  QWidget::keyPressEvent(event);
}

void HistogramPlot::mark(std::optional<std::size_t> column, double value) {
  picture_.marked = column;
  picture_.markedValue = value;
  const QString text = readout();
  setAccessibleDescription(text);
  Q_EMIT readoutChanged(text);
  update();
}

/// To the median of the next or the previous step, or from the end.
void HistogramPlot::walk(int direction) {
  if (picture_.isEmpty()) return;
  const auto last = static_cast<std::ptrdiff_t>(picture_.columns.size()) - 1;
  std::ptrdiff_t place = direction > 0 ? 0 : last;
  if (picture_.marked) {
    place = std::clamp(
        static_cast<std::ptrdiff_t>(*picture_.marked) + direction, std::ptrdiff_t{0}, last);
  }
  const auto column = static_cast<std::size_t>(place);
  const double median = picture_.grid.quantiles[column][std::size(kShownQuantiles) / 2];
  mark(column, std::isfinite(median) ? median : 0);
}

}  // namespace lambda
