#include "widgets/pictures/heatmaps/heatmap_layout.h"

#include <algorithm>
#include <cmath>

namespace lambda {

namespace {

// Device pixels: smaller cells may have any fractional size. Whole pixels would leave much of the
// area empty there.
constexpr double kLeastSnapped = 5;

int rowsFor(int tiles, int tilesPerRow) {
  return (tiles + tilesPerRow - 1) / tilesPerRow;
}

constexpr double kMostStretched = 3;

/// The cells that fill the area in this arrangement; empty where the gaps alone are larger than the
/// area.
QSizeF cellFor(const HeatmapFrame& frame, const QSizeF& area, int tilesPerRow) {
  const int tileRows = rowsFor(frame.tiles, tilesPerRow);
  const double width = area.width() - frame.gap * (tilesPerRow - 1);
  const double height = area.height() - frame.gap * (tileRows - 1) - frame.captionHeight * tileRows;
  const QSizeF cell(width / (tilesPerRow * frame.columns), height / (tileRows * frame.rows));
  if (cell.isEmpty()) return {0, 0};
  const double stretched = frame.stretches ? kMostStretched : 1;
  return {std::min(cell.width(), stretched * cell.height()),
          std::min(cell.height(), stretched * cell.width())};
}

double areaOf(const QSizeF& size) {
  return size.width() * size.height();
}

double snapped(double cell, double pixelRatio) {
  const double pixels = cell * pixelRatio;
  return pixels > kLeastSnapped ? std::floor(pixels) / pixelRatio : cell;
}

QSizeF snapped(const QSizeF& cell, double pixelRatio) {
  return {snapped(cell.width(), pixelRatio), snapped(cell.height(), pixelRatio)};
}

}  // namespace

HeatmapLayout::HeatmapLayout(const HeatmapFrame& frame,
                             const QRectF& area,
                             double zoom,
                             const QPointF& offset,
                             double pixelRatio)
    : frame_(frame), area_(area) {
  if (frame.tiles <= 0 || frame.rows <= 0 || frame.columns <= 0) {
    frame_.tiles = 0;
    return;
  }
  QSizeF best(0, 0);
  const int first = frame.tilesPerRow > 0 ? std::min(frame.tilesPerRow, frame.tiles) : 1;
  const int last = frame.tilesPerRow > 0 ? first : frame.tiles;
  for (int count = first; count <= last; ++count) {
    const QSizeF cell = cellFor(frame, area.size(), count);
    if (areaOf(cell) <= areaOf(best)) continue;
    best = cell;
    tilesPerRow_ = count;
  }
  if (best.isEmpty()) tilesPerRow_ = first;
  constexpr QSizeF kLeastCell(0.25, 0.25);
  best = best.expandedTo(kLeastCell);
  cell_ = snapped(best, pixelRatio);
  whole_ = contentSize();
  cell_ = snapped(best * zoom, pixelRatio);
  offset_ = clamped(offset);
}

int HeatmapLayout::tileRows() const {
  return isEmpty() ? 0 : rowsFor(frame_.tiles, tilesPerRow_);
}

QSizeF HeatmapLayout::contentSize() const {
  if (isEmpty()) return {};
  const int rows = tileRows();
  return {tilesPerRow_ * frame_.columns * cell_.width() + (tilesPerRow_ - 1) * frame_.gap,
          rows * (frame_.rows * cell_.height() + frame_.captionHeight) + (rows - 1) * frame_.gap};
}

QRectF HeatmapLayout::tileRect(int tile) const {
  const double width = frame_.columns * cell_.width(), height = frame_.rows * cell_.height();
  const double left = tile % tilesPerRow_ * (width + frame_.gap);
  const double top = tile / tilesPerRow_ * (height + frame_.captionHeight + frame_.gap);
  return {origin() + QPointF(left, top + frame_.captionHeight), QSizeF(width, height)};
}

QRectF HeatmapLayout::captionRect(int tile) const {
  const QRectF cells = tileRect(tile);
  return {cells.left(), cells.top() - frame_.captionHeight, cells.width(), frame_.captionHeight};
}

QRectF HeatmapLayout::cellRect(const TileCell& cell) const {
  const QRectF tile = tileRect(cell.tile);
  return {
      QPointF(tile.left() + cell.column * cell_.width(), tile.top() + cell.row * cell_.height()),
      cell_};
}

std::optional<TileCell> HeatmapLayout::cellAt(const QPointF& at) const {
  if (isEmpty() || !area_.contains(at)) return std::nullopt;
  const std::optional<int> tile = nearestTile(at);
  const QRectF cells = tileRect(*tile);
  if (at.x() < cells.left() || at.y() < cells.top() || at.x() >= cells.right() ||
      at.y() >= cells.bottom()) {
    return std::nullopt;
  }
  return TileCell{
      .tile = *tile,
      .row = std::min(static_cast<int>((at.y() - cells.top()) / cell_.height()), frame_.rows - 1),
      .column =
          std::min(static_cast<int>((at.x() - cells.left()) / cell_.width()), frame_.columns - 1)};
}

std::optional<int> HeatmapLayout::nearestTile(const QPointF& at) const {
  if (isEmpty()) return std::nullopt;
  const QPointF place = at - origin();
  const double width = frame_.columns * cell_.width() + frame_.gap;
  const double height = frame_.rows * cell_.height() + frame_.captionHeight + frame_.gap;
  const int column =
      std::clamp(static_cast<int>(std::floor(place.x() / width)), 0, tilesPerRow_ - 1);
  const int row = std::clamp(static_cast<int>(std::floor(place.y() / height)), 0, tileRows() - 1);
  return std::min(row * tilesPerRow_ + column, frame_.tiles - 1);
}

QPointF HeatmapLayout::clamped(const QPointF& offset) const {
  // The part of the area that the whole picture would cover stays covered, so that a zoom at the
  // pointer never has to move the point below it.
  const QSizeF content = contentSize(), covered = whole_.boundedTo(area_.size());
  const auto within = [](double value, double space) {
    return std::clamp(value, std::min(0.0, space), 0.0);
  };
  return {within(offset.x(), covered.width() - content.width()),
          within(offset.y(), covered.height() - content.height())};
}

QPointF HeatmapLayout::origin() const {
  return area_.topLeft() + offset_;
}

}  // namespace lambda
