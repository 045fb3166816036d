#pragma once

#include <vector>

#include <QImage>

#include "widgets/pictures/heatmap_data.h"

namespace lambda {

/// The tiles of a heat map as images of one pixel a cell, coloured when they are first asked for.
class TileCache {
 public:
  /// The data must outlive the cache or its next reset.
  void reset(const HeatmapData& data, const ColorRange& range, bool scalePerTile);

  const QImage& image(int tile) const;

  /// The range that a tile is coloured with.
  ColorRange range(int tile) const;

  QRgb color(const TileCell& cell) const;

 private:
  const HeatmapData* data_ = nullptr;
  ColorRange range_;
  bool scalePerTile_ = false;
  mutable std::vector<QImage> images_;
};

}  // namespace lambda
