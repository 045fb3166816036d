#pragma once

#include <optional>

#include "engine/values/images/array.h"
#include "engine/values/images/image.h"
#include "engine/values/inspection/colormap.h"

namespace lambda {

struct Cell {
  int row = 0;
  int column = 0;

  bool operator==(const Cell&) const = default;
};

struct HeatmapStyle {
  ColorMap map = ColorMap::diverging;
  std::optional<ColorRange> range = std::nullopt;  ///< None: rangeOf() the values.
  bool rangePerTile = false;                ///< Each tile has its own range, which contains 0.
  std::optional<Cell> mark = std::nullopt;  ///< A cell that gets a frame, in every tile.
  int tilesPerRow = 0;                      ///< 0 = as close to a square as possible.
  bool colorBar = true;  ///< A colour bar at the right, the greatest value on top.
};

/// Draws an array [..., rows, columns] as a picture. Every index of the leading dimensions is a
/// tile; tiles are laid out in rows with gaps. A value is a square of at least kCellSide pixels,
/// not interpolated; small arrays get larger squares. Throws std::invalid_argument for an array
/// that is empty or has a rank below 2.
Image renderHeatmap(const Array& array, const HeatmapStyle& style);

inline constexpr int kCellSide = 8;

/// The picture with every pixel enlarged to a square of side `factor`.
Image magnified(const Image& image, int factor);

/// Draws a frame inside the rectangle: dark with a light outline, visible on any background.
void drawFrame(Image& image, int left, int top, int width, int height);

}  // namespace lambda
