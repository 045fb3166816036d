#pragma once

#include <optional>

#include "engine/values/array.h"
#include "engine/values/colormap.h"
#include "engine/values/image.h"

namespace lambda {

struct Cell {
  int row = 0;
  int column = 0;

  bool operator==(const Cell&) const = default;
};

struct HeatmapStyle {
  ColorMap map = ColorMap::diverging;
  std::optional<ColorRange> range = std::nullopt;  ///< None: of the values themselves.
  bool rangePerTile = false;                ///< Each tile has a range of its own, which contains 0.
  std::optional<Cell> mark = std::nullopt;  ///< A cell that gets a frame, in every tile.
  int tilesPerRow = 0;                      ///< 0 = as near to a square as it goes.
  bool colorBar = true;                     ///< A strip at the right, the greatest value on top.
};

/// An array [..., rows, columns] as a picture: all leading dimensions are counted through as tiles,
/// laid out in rows with gaps. A value is a square of at least kCellSide pixels, not interpolated;
/// small arrays get larger squares. Throws std::invalid_argument below rank 2 or if it is empty.
Image renderHeatmap(const Array& array, const HeatmapStyle& style);

inline constexpr int kCellSide = 8;

/// The picture with every pixel as a square of `factor` pixels.
Image magnified(const Image& image, int factor);

/// Draws a frame inside the rectangle, dark with a light line around, to be seen on any ground.
void drawFrame(Image& image, int left, int top, int width, int height);

}  // namespace lambda
