#pragma once

#include <algorithm>
#include <optional>

#include <QRectF>
#include <QSizeF>

#include "widgets/pictures/heatmaps/heatmap_data.h"

namespace lambda {

/// The parts of a heat map that need space.
struct HeatmapFrame {
  int tiles = 0;
  int rows = 0;  ///< Rows of a tile.
  int columns = 0;
  int tilesPerRow = 0;       ///< 0 = the arrangement with the largest cells.
  double captionHeight = 0;  ///< Height above each tile; 0 = no captions.
  double gap = 8;            ///< Between tiles.
  bool stretches = false;    ///< Cells fill the area: they may be wider or higher than squares.

  bool operator==(const HeatmapFrame&) const = default;
};

/// The places of tiles and cells: cells are squares unless the frame stretches them, at most three
/// times as long as wide; tiles lie in rows. All lengths are in device-independent pixels. A small
/// value, computed again whenever the size changes.
class HeatmapLayout {
 public:
  HeatmapLayout() = default;

  /// Fits the frame into `area`, magnified by `zoom` and moved by `offset`. Cells are whole
  /// multiples of a device pixel where they are larger than five of them.
  HeatmapLayout(const HeatmapFrame& frame,
                const QRectF& area,
                double zoom = 1,
                const QPointF& offset = {},
                double pixelRatio = 1);

  bool isEmpty() const { return frame_.tiles == 0; }

  const QRectF& area() const { return area_; }

  const QSizeF& cellSize() const { return cell_; }

  /// The shorter side of a cell.
  double cellSide() const { return std::min(cell_.width(), cell_.height()); }

  int tilesPerRow() const { return tilesPerRow_; }

  int tileRows() const;

  /// Size of all tiles together.
  QSizeF contentSize() const;

  /// A tile's cells, without its caption.
  QRectF tileRect(int tile) const;
  QRectF captionRect(int tile) const;
  QRectF cellRect(const TileCell& cell) const;
  std::optional<TileCell> cellAt(const QPointF& at) const;

  /// The tile under a point, or the nearest one.
  std::optional<int> nearestTile(const QPointF& at) const;

  /// The offset in effect: the content covers the area; 0 where it is smaller.
  const QPointF& offset() const { return offset_; }

 private:
  QPointF clamped(const QPointF& offset) const;
  QPointF origin() const;

  HeatmapFrame frame_;
  QRectF area_;
  QSizeF cell_{0, 0};
  int tilesPerRow_ = 1;
  QSizeF whole_;  ///< contentSize() without zoom.
  QPointF offset_;
};

}  // namespace lambda
