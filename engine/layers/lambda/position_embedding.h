#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include <ATen/ATen.h>
#include <torch/nn/pimpl.h>

#include "engine/kernels/lambda_core/core_shape.h"
#include "engine/layers/roled_module.h"
#include "engine/values/architecture/architecture.h"

namespace lambda {

struct PositionEmbeddingOptions {
  PositionEmbedding kind = PositionEmbedding::relative;
  int scope = 0;        ///< r, odd; 0 = global. Relative embeddings only.
  int queryDepth = 16;  ///< k
  int intraDepth = 1;   ///< u
  int height = 8;       ///< Of the map; ignored with a local scope, which fits any map.
  int width = 8;
  int heads = 1;         ///< With embeddings of their own, t: h in a multi-head layer, otherwise 1.
  double deviation = 1;  ///< Standard deviation of the initial embeddings.
};

/// The embeddings of a mixer on a map of that size.
PositionEmbeddingOptions positionEmbeddingOptionsOf(const LambdaMixer& mixer,
                                                    int height,
                                                    int width);

/// The pairs of a query n and a context position m, as n * positions + m, for each row of a table:
/// those of row r are pairs[i] for starts[r] <= i < starts[r + 1], in ascending order. Both are
/// int32.
struct PairIndex {
  at::Tensor pairs;   ///< [pairs inside the window]
  at::Tensor starts;  ///< [rows + 1]
};

/// The PairIndex of `pairRows` [n, m], the table row of each pair, negative outside a window, on
/// the same device.
PairIndex pairIndexOf(const at::Tensor& pairRows, std::int64_t tableRows);

/// The table's row for each pair of positions, in the form that the fused core takes on a device.
struct TableRows {
  at::Tensor pairRows;   ///< [n, m], int32; negative outside the window. Undefined with a `window`.
  PairIndex index = {};  ///< Empty on the CPU.
  std::optional<LocalWindow> window = {};  ///< On the CPU, where takesWindow().
};

/// Learned position embeddings of a lambda layer and their expansion to pairs of positions.
/// LambdaNetworks section 3.3: with relative embeddings e_nm = R[m - n], so that shifting the input
/// shifts the output; a local scope leaves out positions beyond its window (section 3.4).
/// Initialised from a normal distribution, by default N(0, 1) (appendix E.1). Several layers may
/// hold the same embedding.
class PositionEmbeddingTableImpl : public RoledModule {
 public:
  explicit PositionEmbeddingTableImpl(const PositionEmbeddingOptions& options);

  void reset();

  /// The part [rows, u, k] of the table that belongs to a head with embeddings of its own; the
  /// table itself if all heads share it.
  at::Tensor tableOf(std::int64_t head) const;

  /// E [n, m u, k] for a map of the size; rows outside a local window are 0.
  /// Throws c10::Error if a global or absolute table was made for another size.
  at::Tensor expand(std::int64_t mapHeight, std::int64_t mapWidth, std::int64_t head = 0);

  /// The table's row of each pair of positions [n, m], as int32 on the table's device; -1 outside a
  /// local window. Throws c10::Error as expand() does.
  at::Tensor pairRows(std::int64_t mapHeight, std::int64_t mapWidth);

  /// The same for the fused core. Throws c10::Error as expand() does.
  TableRows tableRows(std::int64_t mapHeight, std::int64_t mapWidth);

  /// The pairs of each table row, the inverse of pairRows(); empty on the CPU, where no kernel
  /// needs it. Throws c10::Error as expand() does.
  PairIndex pairIndex(std::int64_t mapHeight, std::int64_t mapWidth);

  /// E_n [m u, k] of one query position, without building those of the others.
  /// Throws c10::Error as expand() does, and if the map has no such position.
  at::Tensor expandQuery(std::int64_t query,
                         std::int64_t mapHeight,
                         std::int64_t mapWidth,
                         std::int64_t head = 0);

  /// How many positions before a query its lambdas take, in a sequence of any length that a layer
  /// for `length` positions reads: the sequence passes through a window of that many positions.
  std::int64_t reachBack(std::int64_t length) const;

  /// The relative embeddings [(reachBack() + 1) u, k] of such a query, of the positions from the
  /// farthest on up to its own.
  at::Tensor expandBack(std::int64_t length, std::int64_t head = 0) const;

  /// E [count, (before + count) u, k] of the next `count` queries of such a sequence, for the
  /// `before` positions before them and their own; rows outside the window or after a query are 0.
  at::Tensor expandNext(std::int64_t count,
                        std::int64_t before,
                        std::int64_t length,
                        std::int64_t head = 0);

  /// Values of the table's shape, present or earlier ones, as tiles over offsets: relative global
  /// [t k, u, 2H-1, 2W-1], relative local [t k, u, r, r]; absolute [t k, u, n, m]. Throws
  /// c10::Error for another shape.
  at::Tensor tilesOf(const at::Tensor& values) const;

  PositionEmbeddingOptions options;
  at::Tensor table;  ///< [rows, t u, k]; rows as in embeddingRows().

 private:
  void requireMap(std::int64_t mapHeight, std::int64_t mapWidth) const;
  at::Tensor rowsOf(const at::Tensor& queries, std::int64_t mapHeight, std::int64_t mapWidth) const;
  at::Tensor gather(const at::Tensor& rows, std::int64_t head) const;

  /// Indices for one size of map, on the table's device. Each is undefined until it is first
  /// needed.
  struct RowsOfMap {
    at::Tensor rows;      // [n m] int64
    at::Tensor pairRows;  // [n, m] int32, as from pairRows()
    PairIndex pairIndex;  // The inverse of pairRows.
  };

  RowsOfMap& cachedFor(std::int64_t mapHeight, std::int64_t mapWidth);

  // Layers on maps of several sizes may share a local table.
  std::map<std::pair<std::int64_t, std::int64_t>, RowsOfMap> cached_;
  at::Device cachedOn_ = at::kCPU;
};

TORCH_MODULE(PositionEmbeddingTable);

}  // namespace lambda
