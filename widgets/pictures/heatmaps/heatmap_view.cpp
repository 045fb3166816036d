#include "widgets/pictures/heatmaps/heatmap_view.h"

#include <algorithm>
#include <cmath>

#include <QAccessible>
#include <QPaintEvent>
#include <QPainter>

#include "widgets/pictures/heatmaps/heatmap_painter.h"
#include "widgets/pictures/heatmaps/tile_cache.h"
#include "widgets/pictures/images/image_conversion.h"
#include "widgets/pictures/scaled_text.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/accessible_parts.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr double kPreferredCell =
    12;  // for sizeHint() and exported files, in device-independent pixels
constexpr double kPreferredSide = 420;  // for exported files, in device-independent pixels
constexpr double kLargestExport = 1600;

/// The size of a picture of the data with cells of the preferred size.
QSize naturalSize(const HeatmapData& data, const HeatmapParts& parts, int tilesPerRow) {
  const HeatmapFrame frame = heatmapFrame(data, tilesPerRow);
  if (frame.tiles == 0) return {320, 240};
  const double columns = std::sqrt(static_cast<double>(frame.tiles) * frame.rows / frame.columns);
  const int perRow = tilesPerRow > 0 ? tilesPerRow : std::clamp(qRound(columns), 1, frame.tiles);
  const int tileRows = (frame.tiles + perRow - 1) / perRow;
  const double cells = std::max(perRow * frame.columns, tileRows * frame.rows);
  const double cell = std::clamp(kPreferredSide / cells, 2.0, 2 * kPreferredCell);
  const QSizeF content(
      perRow * frame.columns * cell + (perRow - 1) * frame.gap,
      tileRows * (frame.rows * cell + frame.captionHeight) + (tileRows - 1) * frame.gap);
  const QSizeF space(1000, 1000);
  const QSizeF margins = space - heatmapArea(data, parts, space).size();
  return (content + margins).boundedTo(QSizeF(kLargestExport, kLargestExport)).toSize();
}

}  // namespace

HeatmapView::HeatmapView(QWidget* parent) : QWidget(parent), tiles_(std::make_unique<TileCache>()) {
  describeParts(*this,
                {.count = [this] { return data_.tileCount(); },
                 .part = [this](int tile) { return describedTile(tile); }});
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
  setAccessibleName(u"Heat map"_s);
  placeholder_ = u"Nothing to show yet."_s;
  tiles_->reset(data_, range_, scalePerTile_);
}

HeatmapView::~HeatmapView() = default;

void HeatmapView::setData(HeatmapData data) {
  if (data == data_) return;
  const bool isSameShape = data.array.shape == data_.array.shape;
  data_ = std::move(data);
  if (!isSameShape) {
    zoom_ = 1;
    zoomedTilesPerRow_ = 0;
    offset_ = {};
    hovered_.reset();
    cursor_.reset();
  }
  if (!data_.title.isEmpty()) setAccessibleName(data_.title);
  updateRange();
  relayout();
  Q_EMIT contentChanged();
}

void HeatmapView::showSameAs(const HeatmapView& other) {
  placeholder_ = other.placeholder_;
  scalePerTile_ = other.scalePerTile_;
  mark_ = other.mark_;
  selectedTile_ = other.selectedTile_;
  backdrop_ = other.backdrop_;
  isStretched_ = other.isStretched_;
  givenRange_ = other.range_;
  setData(other.data_);
  updateRange();
}

void HeatmapView::setPlaceholder(const QString& text) {
  placeholder_ = text;
  update();
  Q_EMIT contentChanged();
}

void HeatmapView::setRange(std::optional<ColorRange> range) {
  givenRange_ = range;
  updateRange();
}

ColorRange HeatmapView::range() const {
  return data_.tileCount() > 0 ? tiles_->range(0) : range_;
}

void HeatmapView::setRangeLocked(bool locked) {
  if (locked == isRangeLocked()) return;
  if (locked) {
    lockedRange_ = range_;
  } else {
    lockedRange_.reset();
  }
  updateRange();
}

void HeatmapView::setScalePerTile(bool perTile) {
  scalePerTile_ = perTile;
  updateRange();
  Q_EMIT contentChanged();
}

void HeatmapView::setMark(std::optional<Cell> mark) {
  mark_ = mark;
  update();
  Q_EMIT contentChanged();
}

void HeatmapView::setSelectedTile(int tile) {
  selectedTile_ = tile;
  update();
  Q_EMIT contentChanged();
}

void HeatmapView::setBackdrop(const Image& image) {
  backdrop_ = toQImage(image).convertToFormat(QImage::Format_Grayscale8);
  update();
  Q_EMIT contentChanged();
}

void HeatmapView::setTilesPerRow(int count) {
  tilesPerRow_ = count;
  relayout();
}

void HeatmapView::setStretched(bool on) {
  isStretched_ = on;
  relayout();
}

void HeatmapView::setColorBarVisible(bool visible) {
  colorBarVisible_ = visible;
  relayout();
}

void HeatmapView::setReadoutVisible(bool visible) {
  readoutVisible_ = visible;
  relayout();
}

void HeatmapView::updateRange() {
  const ColorRange before = range();
  range_ = lockedRange_  ? *lockedRange_
           : givenRange_ ? *givenRange_
                         : rangeOf(data_.map, data_.array.values);
  tiles_->reset(data_, range_, scalePerTile_);
  update();
  if (range() == before) return;
  Q_EMIT rangeChanged(range());
  Q_EMIT contentChanged();
}

HeatmapLayout HeatmapView::layoutFor(const QSizeF& size) const {
  const HeatmapParts parts{.colorBar = colorBarVisible_, .readout = readoutVisible_};
  HeatmapFrame frame =
      heatmapFrame(data_, zoomedTilesPerRow_ > 0 ? zoomedTilesPerRow_ : tilesPerRow_);
  frame.stretches = isStretched_;
  return {frame, heatmapArea(data_, parts, size), zoom_, offset_, devicePixelRatioF()};
}

void HeatmapView::relayout() {
  layout_ = layoutFor(size());
  offset_ = layout_.offset();
  updateGeometry();
  update();
}

void HeatmapView::resizeEvent(QResizeEvent* /*event*/) {
  layout_ = layoutFor(size());
  offset_ = layout_.offset();
}

void HeatmapView::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::StyleChange ||
      event->type() == QEvent::FontChange) {
    relayout();
  }
  QWidget::changeEvent(event);
}

std::optional<TileCell> HeatmapView::cellAt(const QPointF& at) const {
  return layout_.cellAt(at);
}

QRectF HeatmapView::cellRect(const TileCell& cell) const {
  return layout_.cellRect(cell);
}

AccessiblePart HeatmapView::describedTile(int tile) const {
  float least = data_.valueAt(tile, 0, 0), greatest = least;
  for (int row = 0; row < data_.rowCount(); ++row) {
    for (int column = 0; column < data_.columnCount(); ++column) {
      least = std::min(least, data_.valueAt(tile, row, column));
      greatest = std::max(greatest, data_.valueAt(tile, row, column));
    }
  }
  const QRectF first = cellRect({tile, 0, 0});
  const QRectF last = cellRect({tile, data_.rowCount() - 1, data_.columnCount() - 1});
  const bool hasCaptions = data_.captions.size() == data_.tileCount();
  return {.name = hasCaptions              ? data_.captions[tile]
                  : data_.tileCount() == 1 ? u"Matrix"_s
                                           : u"Tile %1"_s.arg(tile),
          .value = u"%1 × %2 values from %3 to %4"_s.arg(data_.rowCount())
                       .arg(data_.columnCount())
                       .arg(numberText(static_cast<double>(least), 4),
                            numberText(static_cast<double>(greatest), 4)),
          .place = first.united(last).toAlignedRect(),
          .isSelected = tile == selectedTile_};
}

QString HeatmapView::readoutOf(const TileCell& cell) const {
  const auto nameOf = [](const HeatmapAxis& axis, const QString& otherwise, int index) -> QString {
    const QString number = countText(axis.first + index);
    return (axis.label.isEmpty() ? otherwise : axis.label) + u" "_s + number;
  };
  QString text;
  if (data_.captions.size() == data_.tileCount() && data_.tileCount() > 0) {
    text = QString(data_.captions[cell.tile]).replace(u"\n"_s, u" · "_s) + u", "_s;
  } else if (data_.tileCount() > 1) {
    text = u"tile %1"_s.arg(cell.tile) + u", "_s;
  }
  text += nameOf(data_.rows, u"row"_s, cell.row) + u", "_s +
          nameOf(data_.columns, u"column"_s, cell.column) + u": "_s +
          numberText(static_cast<double>(data_.valueAt(cell.tile, cell.row, cell.column)), 4);
  return data_.unit.isEmpty() ? text : text + u" "_s + data_.unit;
}

void HeatmapView::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  const Colors& colors = colorsOf(*this);
  if (layout_.isEmpty()) {
    painter.setPen(colors.textSecondary);
    painter.drawText(
        rect().adjusted(8, 8, -8, -8), Qt::AlignCenter | Qt::TextWordWrap, placeholder_);
    return;
  }
  const HeatmapScene scene{.data = data_,
                           .layout = layout_,
                           .tiles = *tiles_,
                           .size = size(),
                           .parts = {.colorBar = colorBarVisible_, .readout = readoutVisible_},
                           .scalePerTile = scalePerTile_,
                           .mark = mark_,
                           .selectedTile = selectedTile_,
                           .backdrop = backdrop_.isNull() ? nullptr : &backdrop_};
  paintHeatmap(painter, scene, colors);
  const std::optional<TileCell> shown = hovered_ ? hovered_ : cursor_;
  if (shown) {
    painter.setClipRect(layout_.area().adjusted(-2, -2, 2, 2));
    painter.setPen(QPen(colors.accent, hasFocus() && shown == cursor_ ? 2 : 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(layout_.cellRect(*shown));
    painter.setClipping(false);
  }
  if (readoutVisible_) paintReadout(painter, shown, colors);
}

void HeatmapView::paintReadout(QPainter& painter,
                               const std::optional<TileCell>& shown,
                               const Colors& colors) const {
  painter.setFont(smallFont());
  const QFontMetricsF metrics(smallFont());
  // Directly below the picture, which may be smaller than its area.
  const double below =
      std::min(layout_.area().bottom(), layout_.area().top() + layout_.contentSize().height()) +
      (data_.columns.label.isEmpty() || !data_.columns.isNumbered ? 3 : metrics.height() + 5);
  const QRectF line(layout_.area().left(),
                    std::min(below, height() - metrics.height() - 1),
                    width() - layout_.area().left() - 3,
                    metrics.height());
  const int notFinite = data_.notFiniteCount();
  QString text;
  if (shown) {
    painter.setPen(colors.text);
    text = readoutOf(*shown);
  } else if (notFinite > 0) {
    painter.setPen(colors.warning);
    text = u"Not finite (grey): %1"_s.arg(notFinite);
  }
  paintFitting(painter, line, text);
}

QString HeatmapView::exportName() const {
  return data_.name.isEmpty() ? u"heatmap"_s : data_.name;
}

QSize HeatmapView::exportSize() const {
  return naturalSize(dataForFiles(), {.colorBar = true, .readout = false}, layout_.tilesPerRow());
}

void HeatmapView::paintTo(QPainter& painter, const QSize& size, const Colors& colors) const {
  const HeatmapParts parts{.colorBar = true, .readout = false};
  const HeatmapData data = dataForFiles();
  const HeatmapLayout layout(heatmapFrame(data, layout_.tilesPerRow()),
                             heatmapArea(data, parts, size));
  if (layout.isEmpty()) {
    painter.setPen(colors.textSecondary);
    painter.drawText(QRect(QPoint(), size), Qt::AlignCenter | Qt::TextWordWrap, placeholder_);
    return;
  }
  const HeatmapScene scene{.data = data,
                           .layout = layout,
                           .tiles = *tiles_,
                           .size = size,
                           .parts = parts,
                           .scalePerTile = scalePerTile_,
                           .mark = mark_,
                           .backdrop = backdrop_.isNull() ? nullptr : &backdrop_};
  paintHeatmap(painter, scene, colors);
}

/// In a file it has axes of its own, also where it shares those of another view on the screen, and
/// one text above it.
HeatmapData HeatmapView::dataForFiles() const {
  HeatmapData data = data_;
  data.rows.isNumbered = data.columns.isNumbered = true;
  if (!data.caption.isEmpty()) data.title.clear();
  return data;
}

QString HeatmapView::exportCaption() const {
  return data_.caption;
}

QString HeatmapView::toCsv() const {
  return data_.toCsv();
}

QSize HeatmapView::sizeHint() const {
  return naturalSize(
      data_, {.colorBar = colorBarVisible_, .readout = readoutVisible_}, tilesPerRow_);
}

QSize HeatmapView::minimumSizeHint() const {
  return {96, 72};
}

}  // namespace lambda
