#pragma once

#include <optional>

#include <QImage>
#include <QSizeF>

#include "widgets/pictures/heatmap_data.h"
#include "widgets/pictures/heatmap_layout.h"

class QPainter;

namespace lambda {

class TileCache;
struct Colors;

/// Which parts of a heat map there are beside its cells.
struct HeatmapParts {
  bool colorBar = true;
  bool readout = false;  ///< Room for a line at the bottom, which the view fills.
};

/// Everything that is drawn of a heat map, but for the pointer.
struct HeatmapScene {
  const HeatmapData& data;
  const HeatmapLayout& layout;
  const TileCache& tiles;
  QSizeF size;
  HeatmapParts parts;
  bool scalePerTile = false;
  std::optional<Cell> mark = std::nullopt;
  int selectedTile = -1;
  const QImage* backdrop = nullptr;  ///< Grey, shines through every tile; null = none.
};

/// Where the cells go in a picture of this size: what title, axes and colour bar leave.
QRectF heatmapArea(const HeatmapData& data, const HeatmapParts& parts, const QSizeF& size);

/// The frame that the data need, for a HeatmapLayout.
HeatmapFrame heatmapFrame(const HeatmapData& data, int tilesPerRow);

/// Draws the visible part: cells as vectors where the painter belongs to an SVG or PDF file and
/// there are not too many of them.
void paintHeatmap(QPainter& painter, const HeatmapScene& scene, const Colors& colors);

/// A frame that is seen on any colour: dark, with light lines on both sides.
void paintCellFrame(QPainter& painter, const QRectF& cell);

}  // namespace lambda
