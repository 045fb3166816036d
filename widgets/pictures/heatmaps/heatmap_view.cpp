#include "widgets/pictures/heatmaps/heatmap_view.h"

#include <algorithm>
#include <cmath>

#include <QAccessible>
#include <QApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPaintEvent>
#include <QPainter>
#include <QScrollArea>
#include <QScrollBar>
#include <QWheelEvent>

#include "widgets/pictures/heatmaps/heatmap_painter.h"
#include "widgets/pictures/heatmaps/tile_cache.h"
#include "widgets/pictures/images/image_conversion.h"
#include "widgets/pictures/large_picture.h"
#include "widgets/pictures/scaled_text.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/accessible_parts.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/tool_tips.h"
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

constexpr double kKeyZoom = 1.25;
constexpr double kWheelZoom = 1.0015;  // a step of the wheel is 120 units: about a fifth
constexpr double kLargestCell = 120;   // in device-independent pixels

/// Whether the wheel should scroll an area around the view instead.
bool isScrolled(const QWidget& widget) {
  for (const QWidget* parent = widget.parentWidget(); parent; parent = parent->parentWidget()) {
    const auto* area = qobject_cast<const QScrollArea*>(parent);
    if (area && area->verticalScrollBar()->maximum() > 0) return true;
  }
  return false;
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
  onChange(*this, {QEvent::PaletteChange, QEvent::FontChange, QEvent::StyleChange}, [this] {
    relayout();
  });
  setToolTips(*this, [this](const QPoint& at) {
    const auto cell = cellAt(at);
    return cell ? readoutOf(*cell) : QString();
  });
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
  if (range() != before) Q_EMIT contentChanged();
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

void HeatmapView::zoomBy(double factor, const QPointF& at) {
  if (layout_.isEmpty()) return;
  const double whole = layout_.cellSide() / zoom_;
  const double zoom = std::clamp(zoom_ * factor, 1.0, std::max(1.0, kLargestCell / whole));
  if (zoom == zoom_) return;
  // The point under the pointer stays there. Gaps between tiles do not grow, so it is found by its
  // place within its tile.
  const int tile = *layout_.nearestTile(at);
  const QSizeF cell = layout_.cellSize();
  const QPointF within = at - layout_.tileRect(tile).topLeft();
  const int tilesPerRow = layout_.tilesPerRow();
  zoom_ = zoom;
  zoomedTilesPerRow_ = zoom > 1 ? tilesPerRow : 0;
  offset_ = {};
  const HeatmapLayout unmoved = layoutFor(size());
  const QPointF now = unmoved.tileRect(tile).topLeft() - unmoved.offset() +
                      QPointF(within.x() * unmoved.cellSize().width() / cell.width(),
                              within.y() * unmoved.cellSize().height() / cell.height());
  offset_ = at - now;
  relayout();
}

void HeatmapView::resetZoom() {
  zoom_ = 1;
  zoomedTilesPerRow_ = 0;
  offset_ = {};
  relayout();
}

bool HeatmapView::moveView(const QPointF& by) {
  const QPointF before = offset_;
  offset_ += by;
  relayout();
  return offset_ != before;
}

void HeatmapView::setHovered(std::optional<TileCell> cell) {
  if (cell == hovered_) return;
  hovered_ = cell;
  update();
  const TileCell none{.tile = -1, .row = -1, .column = -1};
  const TileCell now = cell.value_or(none);
  Q_EMIT cellHovered(now.tile, now.row, now.column);
}

void HeatmapView::setCursorCell(std::optional<TileCell> cell) {
  if (cell == cursor_) return;
  cursor_ = cell;
  update();
  if (!cell) return;
  const QRectF area = layout_.area(), shown = layout_.cellRect(*cell);
  const QPointF by(
      std::max(0.0, area.left() - shown.left()) - std::max(0.0, shown.right() - area.right()),
      std::max(0.0, area.top() - shown.top()) - std::max(0.0, shown.bottom() - area.bottom()));
  if (!by.isNull()) moveView(by);
  setAccessibleDescription(readoutOf(*cell));
  QAccessibleEvent changed(this, QAccessible::DescriptionChanged);
  QAccessible::updateAccessibility(&changed);
  Q_EMIT cellHovered(cell->tile, cell->row, cell->column);
}

void HeatmapView::moveCursor(int rows, int columns) {
  if (layout_.isEmpty()) return;
  setHovered(std::nullopt);
  if (!cursor_) {
    setCursorCell(mark_ ? TileCell{.tile = 0, .row = mark_->row, .column = mark_->column}
                        : TileCell{});
    return;
  }
  TileCell next = *cursor_;
  const int perRow = layout_.tilesPerRow(), tiles = data_.tileCount();
  next.row += rows;
  next.column += columns;
  // Moves over a tile's edge into its neighbour, where there is one.
  const bool hasLeft = next.tile % perRow > 0;
  const bool hasRight = next.tile % perRow < perRow - 1 && next.tile + 1 < tiles;
  if (next.column < 0 && hasLeft) {
    next = {next.tile - 1, next.row, data_.columnCount() - 1};
  } else if (next.column >= data_.columnCount() && hasRight) {
    next = {next.tile + 1, next.row, 0};
  } else if (next.row < 0 && next.tile >= perRow) {
    next = {next.tile - perRow, data_.rowCount() - 1, next.column};
  } else if (next.row >= data_.rowCount() && next.tile + perRow < tiles) {
    next = {next.tile + perRow, 0, next.column};
  }
  next.row = std::clamp(next.row, 0, data_.rowCount() - 1);
  next.column = std::clamp(next.column, 0, data_.columnCount() - 1);
  setCursorCell(next);
}

void HeatmapView::wheelEvent(QWheelEvent* event) {
  const bool zooms =
      event->modifiers().testFlag(Qt::ControlModifier) || hasFocus() || !isScrolled(*this);
  if (!zooms || layout_.isEmpty()) {
    event->ignore();
    return;
  }
  zoomBy(std::pow(kWheelZoom, event->angleDelta().y()), event->position());
}

void HeatmapView::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) {
    event->ignore();
    return;
  }
  pressedAt_ = event->position();
  dragging_ = false;
}

void HeatmapView::mouseMoveEvent(QMouseEvent* event) {
  setHovered(cellAt(event->position()));
  if (!pressedAt_) return;
  const QPointF by = event->position() - *pressedAt_;
  if (!dragging_ && by.manhattanLength() < QApplication::startDragDistance()) return;
  dragging_ = true;
  if (moveView(by)) setCursor(Qt::ClosedHandCursor);
  pressedAt_ = event->position();
}

void HeatmapView::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || !pressedAt_) return;
  pressedAt_.reset();
  unsetCursor();
  if (dragging_) return;
  const std::optional<TileCell> cell = cellAt(event->position());
  if (!cell) return;
  setCursorCell(cell);
  Q_EMIT cellActivated(cell->tile, cell->row, cell->column);
}

void HeatmapView::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || layout_.isEmpty()) return;
  (new LargePicture(*this))->show();
}

void HeatmapView::leaveEvent(QEvent* /*event*/) {
  setHovered(std::nullopt);
}

void HeatmapView::keyPressEvent(QKeyEvent* event) {
  const QPointF center = layout_.area().center();
  switch (event->key()) {
    case Qt::Key_Left:
      return moveCursor(0, -1);
    case Qt::Key_Right:
      return moveCursor(0, 1);
    case Qt::Key_Up:
      return moveCursor(-1, 0);
    case Qt::Key_Down:
      return moveCursor(1, 0);
    case Qt::Key_Plus:
    case Qt::Key_Equal:
      return zoomBy(kKeyZoom, center);
    case Qt::Key_Minus:
      return zoomBy(1 / kKeyZoom, center);
    case Qt::Key_0:
      return resetZoom();
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space:
      if (cursor_) Q_EMIT cellActivated(cursor_->tile, cursor_->row, cursor_->column);
      return;
    default:
      QWidget::keyPressEvent(event);
  }
}

}  // namespace lambda
