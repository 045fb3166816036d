#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include <ATen/ATen.h>

#include "engine/layers/lambda/position_embedding.h"

namespace lambda {

/// What the queries of one lambda layer see of their context, as tensors. Each is made once for a
/// size of map and a device.
class SeenContext {
 public:
  explicit SeenContext(const LambdaMixer& mixer) : mixer_(mixer) {}

  /// Whether the layer has a mask.
  bool isMasked() const { return mixer_.mask != ContextMask::none; }

  /// The mask [n, m], bool. Throws c10::Error if the rows of a custom mask do not fit the map.
  at::Tensor mask(std::int64_t mapHeight, std::int64_t mapWidth, const at::Device& device);

  /// The rows of the embeddings' table by pairs of positions, as the fused core takes them;
  /// negative outside the window or the mask.
  TableRows tableRows(PositionEmbeddingTable& table, std::int64_t mapHeight, std::int64_t mapWidth);

  /// E [n, m u, k] of a head, 0 outside the window or the mask.
  at::Tensor embeddings(PositionEmbeddingTable& table,
                        std::int64_t mapHeight,
                        std::int64_t mapWidth,
                        std::int64_t head);

  /// E_n [m u, k] of one query and head.
  at::Tensor embeddingsOfQuery(PositionEmbeddingTable& table,
                               std::int64_t query,
                               std::int64_t mapHeight,
                               std::int64_t mapWidth,
                               std::int64_t head);

 private:
  struct OfMap {
    at::Tensor mask;
    TableRows rows;
  };

  OfMap& madeFor(std::int64_t mapHeight, std::int64_t mapWidth, const at::Device& device);

  LambdaMixer mixer_;
  std::map<std::tuple<std::int64_t, std::int64_t, std::string>, OfMap> made_;
};

}  // namespace lambda
