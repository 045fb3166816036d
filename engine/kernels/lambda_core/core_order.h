#pragma once

// These functions tell which of the two orders of the page in lambda_core_kernel.h the CPU's kernel
// takes, whether it can take means of outputs, and whether its kernel for windows repays.
// Benchmarks report the order; the kernel decides it by the same function, putsLambdasFirst() of
// core_layout-inl.h. Means and windows are the caller's choice.

#include <algorithm>
#include <cstdint>

#include "engine/kernels/lambda_core/core_shape.h"

namespace lambda {

/// Whether there may be a pair without a row of the table. Where `tableRowOf` is null and there is
/// no window, every pair has one.
inline bool isLocal(const CoreShape& shape, const std::int32_t* tableRowOf) {
  if (shape.window) return true;
  if (tableRowOf == nullptr) return false;
  const std::int64_t pairs = shape.tableRows > 0 ? shape.queries * shape.positions : 0;
  return std::any_of(tableRowOf, tableRowOf + pairs, [](std::int32_t row) { return row < 0; });
}

/// The order in which the CPU's kernel computes this core; never automatic. With a window or a mask
/// it is queriesFirst, otherwise what `shape.order` requests or what costs less with this CPU's
/// vectors. `tableRowOf` [n, m] is that of CoreInputs; null without a table, or under a window.
CoreOrder coreOrderOf(const CoreShape& shape, const std::int32_t* tableRowOf);

/// Whether the CPU's kernel in float32 can take the means of the outputs of a core that has a
/// pooling: where queries are contracted first and see every position, and the embeddings of all
/// pairs are small enough to be kept. `tableRowOf` as above; all of it may be read.
bool poolsOutputs(const CoreShape& shape, const std::int32_t* tableRowOf);

/// Whether the kernel for windows multiplies less than 90 % of the pairs of query and position. It
/// multiplies pairs outside the map too, at the ends of its rows, and where a row has few queries,
/// as many as fill a vector. Near 90 % both kernels take about as long; `lambda bench core --only
/// r=` times them in turns.
bool windowSavesProducts(const LocalWindow& window);

}  // namespace lambda
