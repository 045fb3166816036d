#pragma once

// The sizes of a lambda core and the choice of its order. Kernels on the CPU, kernels in CUDA and
// the layers all describe a core by a CoreShape. The letters are those of the page in
// lambda_core_kernel.h.

#include <cstdint>
#include <optional>

#include "engine/kernels/lambda_core/pooling_windows.h"

namespace lambda {

/// What is contracted first. Both orders give the same result; the shape decides which costs less.
enum class CoreOrder {
  automatic,     ///< The cheaper one.
  queriesFirst,  ///< q_n . e_nm, then the values: h m (k + v) multiply-adds a query.
  lambdasFirst,  ///< lambda_n, then the queries: k v (m + h) multiply-adds a query, fewer where
                 ///< k <= h. Cannot leave out positions: with a window, queries come first.
};

/// A local window on a map that has a query at each position: a query sees the scope x scope
/// positions around it. The table's row of a pair follows from the offset of the position, with
/// reach = scope / 2: (down + reach) scope + right + reach.
struct LocalWindow {
  std::int64_t mapHeight = 0;
  std::int64_t mapWidth = 0;
  std::int64_t scope = 1;  ///< r, odd

  std::int64_t reach() const { return scope / 2; }
};

/// Outputs are averaged over 3x3 queries with a stride of 2, see pooling_windows.h, on a map that
/// has a query at each position.
struct OutputPooling {
  std::int64_t mapHeight = 0;
  std::int64_t mapWidth = 0;
};

/// Sizes of a lambda core. A row of the context is (m, u): position m, intra-depth u.
struct CoreShape {
  std::int64_t images = 0;      ///< b
  std::int64_t queries = 0;     ///< n
  std::int64_t positions = 0;   ///< m, positions of the context
  std::int64_t intraDepth = 1;  ///< u
  std::int64_t heads = 1;       ///< h
  std::int64_t queryDepth = 0;  ///< k
  std::int64_t valueDepth = 0;  ///< v
  std::int64_t tableRows = 0;   ///< Rows of the position embeddings' table; 0 = none.
  bool hasContent = false;      ///< Whether there are keys.
  CoreOrder order = CoreOrder::automatic;
  /// The window of the queries, where nothing but a window leaves out positions. With it, queries
  /// and positions are those of its map, and the table has scope^2 rows.
  std::optional<LocalWindow> window = {};
  /// Set where the outputs are means. Only if poolsOutputs() of core_order.h allows it.
  std::optional<OutputPooling> pooling = {};

  std::int64_t contextRows() const { return positions * intraDepth; }

  /// The output is [b, outputs(), h, v]: one for each query, or one for each mean.
  std::int64_t outputs() const {
    return pooling ? pooledSide(pooling->mapHeight) * pooledSide(pooling->mapWidth) : queries;
  }
};

}  // namespace lambda
