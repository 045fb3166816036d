#pragma once

#include <cstdint>

#include "engine/kernels/cuda/blocks.cuh"

namespace lambda::cuda {

/// Images, queries and heads that a warp works on together: 4 x 4 of two of them are the 16 rows of
/// a product. The context comes in 16 rows as well.
inline constexpr int kGroup = 4;
inline constexpr int kContextTile = 16;

/// The sizes and operands of a core, for kernels. Elements are counted in 32 bits within an image
/// and within the table, in 64 bits where images are counted too.
template <class Value>
struct CoreArguments {
  int images = 0, queries = 0, heads = 0;
  int positions = 0, intraDepth = 0;
  int queryDepth = 0, valueDepth = 0;
  int context = 0;          ///< Rows of values and keys.
  int embeddedContext = 0;  ///< The same with position embeddings, 0 without.
  int tableRows = 0;
  bool hasContent = false;
  bool hasWindow = false;  ///< Some pairs are outside.

  const Value* q = nullptr;
  const Value* keys = nullptr;
  const Value* values = nullptr;
  const Value* table = nullptr;
  const std::int32_t* tableRowOf = nullptr;
  Value* contentLambdas = nullptr;

  Value* y = nullptr;

  const Value* dy = nullptr;
  Value* dq = nullptr;
  Value* dKeys = nullptr;
  Value* dValues = nullptr;
  float* dTable = nullptr;
  const std::int32_t* pairs = nullptr;
  const std::int32_t* pairStarts = nullptr;

  int imageSplits = 0;
  float* embeddingShares = nullptr;  ///< [imageSplits, n, m u, k], of the gradient of E.
  float* dPositionValues = nullptr;  ///< [b, m u, v]: gradient of the values without the content's.
  Value* dContentLambdas = nullptr;  ///< [b, k, v]
};

}  // namespace lambda::cuda
