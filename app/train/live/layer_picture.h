#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/values/inspection.h"
#include "widgets/pictures/heatmap_data.h"

namespace lambda {

enum class LambdaPart { all, total, content, position };

/// What the live panel shows of one layer at one step: few numbers, so that those of every epoch
/// can be kept.
struct LayerPicture {
  std::string layer;
  std::int64_t step = 0;
  int epoch = 0;
  LambdaParts lambdas;     ///< [k, v]
  Array tiles;             ///< [k, u, rows, columns]; empty without position embeddings.
  Array change;            ///< As `tiles`: since the start; empty where the start is not known.
  std::vector<int> order;  ///< Tiles from the greatest norm to the smallest.
  std::vector<int> changeOrder;  ///< The same of `change`.
};

LayerPicture pictureOf(const InspectionSnapshot& snapshot);

/// The pictures of a layer that a run stored at the ends of its epochs, oldest first; what can't be
/// read is left out. Reads files: for a worker thread.
std::vector<LayerPicture> storedPictures(const std::filesystem::path& run,
                                         const std::string& layer);

/// One part; of `all` the total.
const Array& partOf(const LambdaParts& parts, LambdaPart part);

/// The lambda matrix as a heat map; `all` puts the parts that there are beside each other. An empty
/// array where the layer lacks the part.
HeatmapData lambdaHeatmap(const LayerPicture& picture, LambdaPart part);

/// The strongest position embeddings as tiles over offsets, or their change since the start.
HeatmapData embeddingHeatmap(const LayerPicture& picture, bool change);

/// The tile that has changed most since the start, or, where that is not known, the one with the
/// greatest norm; -1 = there is none.
int strongestTile(const LayerPicture& picture);

/// One tile alone [rows, columns], its change where it is known; empty where there is none.
Array tileOf(const LayerPicture& picture, int tile);

}  // namespace lambda
