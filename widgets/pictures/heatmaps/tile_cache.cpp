#include "widgets/pictures/heatmaps/tile_cache.h"

#include <algorithm>
#include <span>

namespace lambda {

void TileCache::reset(const HeatmapData& data, const ColorRange& range, bool scalePerTile) {
  data_ = &data;
  range_ = range;
  scalePerTile_ = scalePerTile;
  images_.assign(static_cast<std::size_t>(data.tileCount()), QImage());
}

const QImage& TileCache::image(int tile) const {
  QImage& image = images_[static_cast<std::size_t>(tile)];
  if (!image.isNull()) return image;
  const int rows = data_->rowCount(), columns = data_->columnCount();
  const ColorRange range = this->range(tile);
  image = QImage(columns, rows, QImage::Format_RGB32);
  for (int row = 0; row < rows; ++row) {
    auto* line = reinterpret_cast<QRgb*>(image.scanLine(row));
    for (int column = 0; column < columns; ++column) {
      const Rgb color = colorOf(data_->map, range, data_->valueAt(tile, row, column));
      line[column] = qRgb(color[0], color[1], color[2]);
    }
  }
  return image;
}

ColorRange TileCache::range(int tile) const {
  if (!scalePerTile_) return range_;
  const auto cells = static_cast<std::size_t>(data_->rowCount() * data_->columnCount());
  const auto values =
      std::span(data_->array.values).subspan(static_cast<std::size_t>(tile) * cells, cells);
  ColorRange range = rangeOf(data_->map, values);
  // A range that starts at 0 keeps its 0, so that a flat tile is not drawn with the full range of
  // colours.
  if (data_->map == ColorMap::viridis) range.low = std::min(range.low, 0.0);
  return range;
}

QRgb TileCache::color(const TileCell& cell) const {
  const Rgb color =
      colorOf(data_->map, range(cell.tile), data_->valueAt(cell.tile, cell.row, cell.column));
  return qRgb(color[0], color[1], color[2]);
}

}  // namespace lambda
