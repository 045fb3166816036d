#pragma once

#include <cstdint>

namespace lambda {

/// What is contracted first. Both orders compute the same; which costs less depends on the shape.
enum class CoreOrder {
  automatic,     ///< The cheaper one.
  queriesFirst,  ///< q_n . e_nm, then the values: h m (k + v) products a query.
  lambdasFirst,  ///< lambda_n, then the queries: k v (m + h) products; cheaper where k <= h. Sees
                 ///< no window: where there is one, queries come first.
};

/// Sizes of a lambda core. Rows of the context are (m, u): position m, intra-depth u.
struct CoreShape {
  std::int64_t images = 0;      ///< b
  std::int64_t queries = 0;     ///< n
  std::int64_t positions = 0;   ///< m, of the context
  std::int64_t intraDepth = 1;  ///< u
  std::int64_t heads = 1;       ///< h
  std::int64_t queryDepth = 0;  ///< k
  std::int64_t valueDepth = 0;  ///< v
  std::int64_t tableRows = 0;   ///< Of the position embeddings; 0 without position lambdas.
  bool hasContent = false;      ///< With content lambdas.
  CoreOrder order = CoreOrder::automatic;

  std::int64_t contextRows() const { return positions * intraDepth; }
};

}  // namespace lambda
