#pragma once

// What every kernel of the CUDA lambda core gets as its one parameter: the sizes, the operands and
// the workspace. The algebra and the letters are on the page in
// engine/kernels/lambda_core/lambda_core_kernel.h.

#include <cstdint>

#include "engine/kernels/cuda/blocks.cuh"

namespace lambda::cuda {

/// Images, queries and heads that a warp works on together. Four of one kind by four of another are
/// the 16 rows of a product on tensor cores. Context rows are taken 16 at a time as well.
inline constexpr int kGroup = 4;
inline constexpr int kContextTile = 16;

/// The sizes and operands of a core, for kernels. Offsets within an image and within the table have
/// 32 bits; offsets over all images have 64.
template <class Value>
struct CoreArguments {
  int images = 0, queries = 0, heads = 0;
  int positions = 0, intraDepth = 0;
  int queryDepth = 0, valueDepth = 0;
  int context = 0;          ///< Rows of values and keys.
  int embeddedContext = 0;  ///< `context` with position embeddings, 0 without.
  int tableRows = 0;
  bool hasContent = false;
  bool hasWindow = false;  ///< Whether some pairs are outside their window.

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

  int imageSplits = 0;               ///< Shares of the images for the gradient of E.
  float* embeddingShares = nullptr;  ///< Shares of dE [imageSplits, n, m u, k].
  float* dPositionValues = nullptr;  ///< Position part of dv [b, m u, v].
  Value* dContentLambdas = nullptr;  ///< dlambda_c [b, k, v]
};

}  // namespace lambda::cuda
