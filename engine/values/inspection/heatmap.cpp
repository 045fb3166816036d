#include "engine/values/inspection/heatmap.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>
#include <vector>

namespace lambda {

namespace {

constexpr Rgb kPaper{0xFF, 0xFF, 0xFF};
constexpr Rgb kInk{0x20, 0x20, 0x20};
constexpr int kMargin = 8;           // pixels around everything
constexpr int kTileGap = 6;          // pixels between tiles
constexpr int kBarWidth = 16;        // pixels
constexpr int kPreferredSide = 448;  // pixels that all tiles together should reach

/// The positions of tiles and cells.
struct Layout {
  int tiles = 0;
  int rows = 0;  // per tile
  int columns = 0;
  int tilesPerRow = 1;
  int tileRows = 1;
  int cell = kCellSide;

  int gridWidth() const { return tilesPerRow * columns * cell + (tilesPerRow - 1) * kTileGap; }

  int gridHeight() const { return tileRows * rows * cell + (tileRows - 1) * kTileGap; }

  int left(int tile) const { return kMargin + tile % tilesPerRow * (columns * cell + kTileGap); }

  int top(int tile) const { return kMargin + tile / tilesPerRow * (rows * cell + kTileGap); }
};

Layout layoutOf(const Array& array, int tilesPerRow) {
  if (array.shape.size() < 2 || array.empty()) {
    throw std::invalid_argument("a heatmap needs an array of rank 2 or more with values");
  }
  Layout layout;
  layout.rows = static_cast<int>(array.shape[array.shape.size() - 2]);
  layout.columns = static_cast<int>(array.shape.back());
  layout.tiles = static_cast<int>(array.values.size()) / (layout.rows * layout.columns);
  const double square = std::sqrt(static_cast<double>(layout.tiles) * layout.rows / layout.columns);
  layout.tilesPerRow = tilesPerRow > 0 ? tilesPerRow : static_cast<int>(std::ceil(square));
  layout.tilesPerRow = std::clamp(layout.tilesPerRow, 1, layout.tiles);
  layout.tileRows = (layout.tiles + layout.tilesPerRow - 1) / layout.tilesPerRow;
  const int cells = std::max(layout.tilesPerRow * layout.columns, layout.tileRows * layout.rows);
  layout.cell = std::max(kCellSide, kPreferredSide / cells);
  return layout;
}

void fill(Image& image, int left, int top, int width, int height, const Rgb& color) {
  for (int y = std::max(top, 0); y < std::min(top + height, image.height); ++y) {
    for (int x = std::max(left, 0); x < std::min(left + width, image.width); ++x) {
      std::copy(color.begin(), color.end(), image.rgb.begin() + (y * image.width + x) * 3L);
    }
  }
}

Image blank(int width, int height) {
  Image image{width, height, {}};
  image.rgb.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3);
  fill(image, 0, 0, width, height, kPaper);
  return image;
}

/// The range of one tile's values, extended to contain 0.
ColorRange rangeOfTile(ColorMap map, std::span<const float> values) {
  std::vector<float> withZero(values.begin(), values.end());
  withZero.push_back(0);
  return rangeOf(map, withZero);
}

void drawTile(Image& image,
              const Layout& layout,
              int tile,
              std::span<const float> values,
              const HeatmapStyle& style,
              const ColorRange& range) {
  const int left = layout.left(tile), top = layout.top(tile), cell = layout.cell;
  for (int row = 0; row < layout.rows; ++row) {
    for (int column = 0; column < layout.columns; ++column) {
      fill(image,
           left + column * cell,
           top + row * cell,
           cell,
           cell,
           colorOf(
               style.map, range, values[static_cast<std::size_t>(row * layout.columns + column)]));
    }
  }
  if (style.mark) {
    drawFrame(image, left + style.mark->column * cell, top + style.mark->row * cell, cell, cell);
  }
}

void drawColorBar(Image& image, ColorMap map) {
  const int left = image.width - kMargin - kBarWidth;
  const int height = image.height - 2 * kMargin;
  for (int y = 0; y < height; ++y) {
    fill(image, left, kMargin + y, kBarWidth, 1, colorAt(map, 1 - y / std::max(1.0, height - 1.0)));
  }
}

void outline(Image& image, int left, int top, int width, int height, const Rgb& color) {
  fill(image, left, top, width, 1, color);
  fill(image, left, top + height - 1, width, 1, color);
  fill(image, left, top, 1, height, color);
  fill(image, left + width - 1, top, 1, height, color);
}

}  // namespace

Image renderHeatmap(const Array& array, const HeatmapStyle& style) {
  const Layout layout = layoutOf(array, style.tilesPerRow);
  const ColorRange range = style.range.value_or(rangeOf(style.map, array.values));
  const int barSpace = style.colorBar ? kMargin + kBarWidth : 0;
  Image image =
      blank(layout.gridWidth() + 2 * kMargin + barSpace, layout.gridHeight() + 2 * kMargin);
  const auto cells = static_cast<std::size_t>(layout.rows * layout.columns);
  for (int tile = 0; tile < layout.tiles; ++tile) {
    const auto values =
        std::span(array.values).subspan(static_cast<std::size_t>(tile) * cells, cells);
    drawTile(image,
             layout,
             tile,
             values,
             style,
             style.rangePerTile ? rangeOfTile(style.map, values) : range);
  }
  if (style.colorBar) drawColorBar(image, style.map);
  return image;
}

Image magnified(const Image& image, int factor) {
  Image large = blank(image.width * factor, image.height * factor);
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      const auto pixel = image.rgb.begin() + (y * image.width + x) * 3L;
      fill(large, x * factor, y * factor, factor, factor, {pixel[0], pixel[1], pixel[2]});
    }
  }
  return large;
}

void drawFrame(Image& image, int left, int top, int width, int height) {
  outline(image, left - 1, top - 1, width + 2, height + 2, kPaper);
  outline(image, left, top, width, height, kInk);
  outline(image, left + 1, top + 1, width - 2, height - 2, kPaper);
}

}  // namespace lambda
