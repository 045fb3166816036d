#pragma once

#include <vector>

#include <QImage>

#include "widgets/pictures/heatmaps/heatmap_data.h"

namespace lambda {

/// The tiles of a heat map as images of one pixel per cell, coloured at the first request.
class TileCache {
 public:
  /// The data must outlive the cache or live until its next reset.
  void reset(const HeatmapData& data, const ColorRange& range, bool scalePerTile);

  const QImage& image(int tile) const;

  /// The colour range of a tile.
  ColorRange range(int tile) const;

  QRgb color(const TileCell& cell) const;

 private:
  const HeatmapData* data_ = nullptr;
  ColorRange range_;
  bool scalePerTile_ = false;
  mutable std::vector<QImage> images_;
};

}  // namespace lambda
