#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/values/inspection/inspection.h"
#include "widgets/pictures/heatmaps/heatmap_data.h"

namespace lambda {

enum class LambdaPart { all, total, content, position };

/// The live panel's picture of one layer at one step: few numbers, so that the pictures of all
/// epochs can be kept.
struct LayerPicture {
  std::string layer;
  std::int64_t step = 0;
  int epoch = 0;
  LambdaParts lambdas;  ///< [k, v]
  Array tiles;          ///< [k, u, rows, columns]; empty without position embeddings.
  Array change;         ///< Same shape as `tiles`, since the start; empty where that is not known.
  std::vector<int> order;        ///< Tiles in descending order of norm.
  std::vector<int> changeOrder;  ///< The same order for `change`.
};

LayerPicture pictureOf(const InspectionSnapshot& snapshot);

/// The pictures of one of its network's layers that a run stored before its first step and at the
/// ends of its epochs, oldest first, without those of the `known` epochs; files that can't be read
/// are left out. Reads files: call it on a worker thread.
std::vector<LayerPicture> storedPictures(const std::filesystem::path& run,
                                         const std::vector<InspectableLayer>& layers,
                                         const std::string& layer,
                                         const std::set<int>& known);

/// One part; the total for `all`.
const Array& partOf(const LambdaParts& parts, LambdaPart part);

/// The lambda matrix as a heat map; `all` shows the existing parts beside each other. An empty
/// array where the layer lacks the part.
HeatmapData lambdaHeatmap(const LayerPicture& picture, LambdaPart part);

/// The strongest position embeddings as tiles over offsets, or their change since the start.
HeatmapData embeddingHeatmap(const LayerPicture& picture, bool change);

/// The tile that has changed most since the start, or, where that is not known, the one with the
/// greatest norm; -1 = none.
int strongestTile(const LayerPicture& picture);

/// One tile [rows, columns] or its change; empty where there is none.
Array tileOf(const LayerPicture& picture, int tile, bool change);

}  // namespace lambda
