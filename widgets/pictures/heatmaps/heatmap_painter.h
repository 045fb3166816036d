#pragma once

#include <optional>

#include <QImage>
#include <QSizeF>

#include "widgets/pictures/heatmaps/heatmap_data.h"
#include "widgets/pictures/heatmaps/heatmap_layout.h"

class QPainter;

namespace lambda {

class TileCache;
struct Colors;

/// The parts of a heat map beside its cells.
struct HeatmapParts {
  bool colorBar = true;
  bool readout = false;  ///< Leaves space for a line at the bottom, which the view fills.
};

/// Everything that is drawn of a heat map except for the pointer.
struct HeatmapScene {
  const HeatmapData& data;
  const HeatmapLayout& layout;
  const TileCache& tiles;
  QSizeF size;
  HeatmapParts parts;
  bool scalePerTile = false;
  std::optional<Cell> mark = std::nullopt;
  int selectedTile = -1;
  const QImage* backdrop = nullptr;  ///< Shown in grey through every tile; null = none.
};

/// The area for the cells in a picture of this size: without title, axes and colour bar.
QRectF heatmapArea(const HeatmapData& data, const HeatmapParts& parts, const QSizeF& size);

/// The frame of the data for a HeatmapLayout.
HeatmapFrame heatmapFrame(const HeatmapData& data, int tilesPerRow);

/// Draws the visible part: cells as vectors where the painter belongs to an SVG or PDF file and
/// there are not too many of them.
void paintHeatmap(QPainter& painter, const HeatmapScene& scene, const Colors& colors);

/// Draws a frame that is visible on any colour: dark, with light lines on both sides.
void paintCellFrame(QPainter& painter, const QRectF& cell);

}  // namespace lambda
