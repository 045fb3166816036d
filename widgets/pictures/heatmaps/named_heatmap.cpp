#include "widgets/pictures/heatmaps/named_heatmap.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include "widgets/export/csv_field.h"
#include "widgets/pictures/heatmaps/color_bar.h"
#include "widgets/pictures/heatmaps/heatmap_painter.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/accessible_parts.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/spacing.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr QSize kUsualSize(720, 320);
constexpr QSize kLeastSize(280, 160);
constexpr double kMostOfRowNames = 0.3;  // Share of the width.
constexpr double kMostCellWidth = 140;
constexpr double kMostCellHeight = 72;
constexpr int kTallestCells = 480;  // All rows of a file together.

std::optional<ColorRange> colorRangeOf(const std::vector<std::optional<double>>& values) {
  std::optional<ColorRange> range;
  for (const auto& value : values) {
    if (!value || !std::isfinite(*value)) continue;
    if (!range) range = ColorRange{*value, *value};
    range->low = std::min(range->low, *value);
    range->high = std::max(range->high, *value);
  }
  if (range && range->low == range->high) range->high = range->low + 1;
  return range;
}

/// Black or white, whichever can be read on the colour.
QColor inkOn(const QColor& ground) {
  constexpr int kMiddle = 128;
  return qGray(ground.rgb()) > kMiddle ? QColor(0x10, 0x10, 0x10) : QColor(Qt::white);
}

}  // namespace

/// The places of a drawing, in its pixels.
struct NamedHeatmap::Frame {
  QRectF cells;
  QSizeF cell;

  QRectF rectOf(const Cell& place) const {
    return {cells.left() + static_cast<double>(place.column) * cell.width(),
            cells.top() + static_cast<double>(place.row) * cell.height(),
            cell.width(),
            cell.height()};
  }
};

NamedHeatmap::NamedHeatmap(QWidget* parent) : QWidget(parent) {
  describeParts(
      *this,
      {.count = [this] { return static_cast<int>(data_.values.size()); },
       .part = [this](int index) { return describedCell(static_cast<std::size_t>(index)); }},
      QAccessible::Chart);
  setFocusPolicy(Qt::StrongFocus);
}

void NamedHeatmap::setData(NamedHeatmapData data) {
  if (data_ == data) return;
  data_ = std::move(data);
  data_.values.resize(static_cast<std::size_t>(data_.rows.size() * data_.columns.size()));
  range_ = colorRangeOf(data_.values);
  cursor_.reset();
  setAccessibleDescription(data_.title);
  update();
}

void NamedHeatmap::setEmptyText(const QString& text) {
  emptyText_ = text;
  update();
}

const std::optional<double>& NamedHeatmap::valueAt(const Cell& cell) const {
  return data_.values[cell.row * static_cast<std::size_t>(data_.columns.size()) + cell.column];
}

NamedHeatmap::Frame NamedHeatmap::frameFor(const QSize& size) const {
  const QFontMetricsF metrics(smallFont());
  double names = metrics.horizontalAdvance(data_.rowTitle);
  for (const QString& name : data_.rows) names = std::max(names, metrics.horizontalAdvance(name));
  Frame frame;
  const double left = std::min(names, size.width() * kMostOfRowNames) + 2 * spacing::kGap;
  const double top = metrics.height() + spacing::kGap;
  const double width = size.width() - left - colorBarWidth() - 3 * spacing::kGap;
  const double height = size.height() - top - 2 * metrics.height() - 2 * spacing::kGap;
  const auto rows = static_cast<double>(std::max<qsizetype>(data_.rows.size(), 1));
  const auto columns = static_cast<double>(std::max<qsizetype>(data_.columns.size(), 1));
  frame.cell = {std::min(width / columns, kMostCellWidth * textScale()),
                std::min(height / rows, kMostCellHeight * textScale())};
  frame.cells = QRectF(left, top, columns * frame.cell.width(), rows * frame.cell.height());
  return frame;
}

QRectF NamedHeatmap::cellRect(std::size_t row, std::size_t column) const {
  return frameFor(size()).rectOf({row, column});
}

void NamedHeatmap::paintTo(QPainter& painter, const QSize& size, const Colors& colors) const {
  painter.fillRect(QRect(QPoint(), size), colors.page);
  if (!range_) {
    painter.setPen(colors.textSecondary);
    painter.drawText(QRect(QPoint(), size), Qt::AlignCenter | Qt::TextWordWrap, emptyText_);
    return;
  }
  painter.setFont(smallFont());
  const Frame frame = frameFor(size);
  paintNames(painter, frame, colors);
  for (std::size_t row = 0; row < static_cast<std::size_t>(data_.rows.size()); ++row) {
    for (std::size_t column = 0; column < static_cast<std::size_t>(data_.columns.size());
         ++column) {
      paintCell(painter, frame.rectOf({row, column}), valueAt({row, column}), colors);
    }
  }
  paintColorBar(painter,
                QRectF(frame.cells.right() + 2 * spacing::kGap,
                       frame.cells.top(),
                       colorBarWidth(),
                       frame.cells.height()),
                ColorMap::viridis,
                *range_,
                {},
                colors);
}

void NamedHeatmap::paintNames(QPainter& painter, const Frame& frame, const Colors& colors) const {
  const QFontMetricsF metrics(smallFont());
  const double line = metrics.height();
  const double width = frame.cells.left() - 2 * spacing::kGap;
  const auto rowName = [&](double center, const QString& name) {
    painter.drawText(QRectF(spacing::kGap, center - line / 2, width, line),
                     Qt::AlignRight | Qt::AlignVCenter,
                     metrics.elidedText(name, Qt::ElideMiddle, width));
  };
  painter.setPen(colors.textSecondary);
  rowName(frame.cells.top() - line / 2 - spacing::kGap / 2, data_.rowTitle);
  painter.drawText(QRectF(frame.cells.left(),
                          frame.cells.bottom() + line + spacing::kGap,
                          frame.cells.width(),
                          line),
                   Qt::AlignCenter | Qt::TextDontClip,
                   data_.columnTitle);
  painter.setPen(colors.text);
  for (qsizetype row = 0; row < data_.rows.size(); ++row) {
    rowName(frame.rectOf({static_cast<std::size_t>(row), 0}).center().y(), data_.rows[row]);
  }
  for (qsizetype column = 0; column < data_.columns.size(); ++column) {
    const QRectF cell = frame.rectOf({0, static_cast<std::size_t>(column)});
    painter.drawText(QRectF(cell.left(), frame.cells.bottom() + 2, cell.width(), line),
                     Qt::AlignCenter,
                     metrics.elidedText(data_.columns[column], Qt::ElideMiddle, cell.width() - 4));
  }
}

void NamedHeatmap::paintCell(QPainter& painter,
                             const QRectF& rect,
                             const std::optional<double>& value,
                             const Colors& colors) const {
  const QRectF inner = rect.adjusted(0.5, 0.5, -0.5, -0.5);
  if (!value || !std::isfinite(*value)) {
    painter.fillRect(inner, QBrush(colors.hairline, Qt::BDiagPattern));
    painter.setPen(colors.hairline);
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(inner);
    return;
  }
  const double share = (*value - range_->low) / (range_->high - range_->low);
  const Rgb rgb = colorAt(ColorMap::viridis, share);
  const QColor ground(rgb[0], rgb[1], rgb[2]);
  painter.fillRect(inner, ground);
  painter.setPen(inkOn(ground));
  const QString text = fixedText(*value, data_.decimals);
  const QFontMetricsF metrics(smallFont());
  const bool fits =
      metrics.horizontalAdvance(text) < inner.width() && metrics.height() < inner.height();
  if (fits) painter.drawText(inner, Qt::AlignCenter, text);
}

QString NamedHeatmap::toCsv() const {
  if (!range_) return {};
  QString csv = csvField(data_.rowTitle) + u',' + csvField(data_.columnTitle) + u',' +
                csvField(data_.title) + u'\n';
  for (qsizetype row = 0; row < data_.rows.size(); ++row) {
    for (qsizetype column = 0; column < data_.columns.size(); ++column) {
      const auto& value =
          valueAt({static_cast<std::size_t>(row), static_cast<std::size_t>(column)});
      csv += csvField(data_.rows[row]) + u',' + csvField(data_.columns[column]) + u',' +
             (value ? csvNumber(*value) : QString()) + u'\n';
    }
  }
  return csv;
}

QSize NamedHeatmap::exportSize() const {
  const double line = QFontMetricsF(smallFont()).height();
  const double height =
      std::min(kMostCellHeight * textScale() * static_cast<double>(data_.rows.size()),
               static_cast<double>(kTallestCells)) +
      3 * line + 3 * spacing::kGap;
  return {std::max(width(), kUsualSize.width()), qRound(height)};
}

QSize NamedHeatmap::sizeHint() const {
  return kUsualSize;
}

QSize NamedHeatmap::minimumSizeHint() const {
  return kLeastSize;
}

AccessiblePart NamedHeatmap::describedCell(std::size_t index) const {
  const auto columns = static_cast<std::size_t>(data_.columns.size());
  const Cell cell{index / columns, index % columns};
  const auto& value = valueAt(cell);
  return {.name = u"%1 %2, %3 %4"_s.arg(data_.rowTitle,
                                        data_.rows[static_cast<qsizetype>(cell.row)],
                                        data_.columnTitle,
                                        data_.columns[static_cast<qsizetype>(cell.column)]),
          .value = value ? fixedText(*value, data_.decimals) : u"no value"_s,
          .place = cellRect(cell.row, cell.column).toAlignedRect()};
}

void NamedHeatmap::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  paintTo(painter, size(), colorsOf(*this));
  if (range_ && cursor_ && hasFocus()) {
    paintCellFrame(painter, cellRect(cursor_->row, cursor_->column));
  }
}

void NamedHeatmap::mousePressEvent(QMouseEvent* event) {
  const Frame frame = frameFor(size());
  const QPointF at = event->position();
  if (!range_ || event->button() != Qt::LeftButton || !frame.cells.contains(at)) {
    return QWidget::mousePressEvent(event);
  }
  const Cell cell{static_cast<std::size_t>((at.y() - frame.cells.top()) / frame.cell.height()),
                  static_cast<std::size_t>((at.x() - frame.cells.left()) / frame.cell.width())};
  if (cell.row >= static_cast<std::size_t>(data_.rows.size()) ||
      cell.column >= static_cast<std::size_t>(data_.columns.size())) {
    return;
  }
  cursor_ = cell;
  update();
  Q_EMIT cellClicked(cell.row, cell.column);
}

void NamedHeatmap::keyPressEvent(QKeyEvent* event) {
  if (!range_) return QWidget::keyPressEvent(event);
  const int key = event->key();
  if (key == Qt::Key_Return || key == Qt::Key_Enter) {
    if (cursor_) Q_EMIT cellClicked(cursor_->row, cursor_->column);
    return;
  }
  const int right = key == Qt::Key_Right ? 1 : key == Qt::Key_Left ? -1 : 0;
  const int down = key == Qt::Key_Down ? 1 : key == Qt::Key_Up ? -1 : 0;
  if (right == 0 && down == 0) return QWidget::keyPressEvent(event);
  const auto moved = [](std::size_t from, int by, qsizetype count) {
    return static_cast<std::size_t>(
        std::clamp<qsizetype>(static_cast<qsizetype>(from) + by, 0, count - 1));
  };
  const Cell from = cursor_.value_or(Cell{});
  cursor_ = cursor_ ? Cell{moved(from.row, down, data_.rows.size()),
                           moved(from.column, right, data_.columns.size())}
                    : Cell{};
  update();
}

}  // namespace lambda
