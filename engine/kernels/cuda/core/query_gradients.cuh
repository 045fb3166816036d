#pragma once

// Backward pass of the CUDA lambda core: the gradients of the queries, dq = ds E + dy lambda_c^T. A
// warp makes those of four images, four queries and four heads, with the same loop over the context
// as the forward pass (sumOverContext() in sums.cuh). See the page in
// engine/kernels/lambda_core/lambda_core_kernel.h.

#include "engine/kernels/cuda/core/content.cuh"
#include "engine/kernels/cuda/core/plan.cuh"
#include "engine/kernels/cuda/core/sums.cuh"

namespace lambda::cuda {

/// out[y] += dy lambda_c^T of the images: the gradient of the queries by way of the content lambda.
template <class Format, class Plan>
__device__ __forceinline__ void addContentToQueries(
    const CoreArguments<typename Format::Value>& core,
    int firstImage,
    const ValueSide<typename Format::Value>& from,
    int firstColumn,
    Sums (&out)[kGroup][kFragments<Plan::kQueryColumns>]) {
  using Value = typename Format::Value;
  using Access = typename Plan::Access;
  constexpr int kCount = kFragments<Plan::kQueryColumns>;
  const Lane lane;
  Sums products[kGroup][kCount];
#pragma unroll
  for (int x = 0; x < kGroup; ++x) {
    const RowsOfImage<const Value> lambda =
        rowsOfImage<const Value>(core.contentLambdas,
                                 min(firstImage + x, core.images - 1),
                                 core.queryDepth,
                                 core.valueDepth);
    for (int step = 0; step < stepsOf<Plan::kValueSteps>(core.valueDepth); ++step) {
      const Left<Format> left = loadItemRows<Format, Access>(from, x, step, lane);
#pragma unroll
      for (int w = 0; w < kCount; ++w) {
        const Row<const Value> column = asColumn(lambda.row(firstColumn + kCount * lane.group + w));
        Format::multiply(products[x][w], left, loadRightAlong<Format, Access>(column, step, lane));
      }
    }
  }
#pragma unroll
  for (int w = 0; w < kCount; ++w) {
    float given[kGroup][2][2];  // [x][half][second]
    float taken[kGroup][2][2];  // [y][half][second]
#pragma unroll
    for (int x = 0; x < kGroup; ++x) {
#pragma unroll
      for (int i = 0; i < 4; ++i) given[x][i / 2][i % 2] = products[x][w].at[i / 2][i % 2];
    }
    exchangeItems<ExchangeOfFloats, kLaneBitOfRows>(given, taken);
#pragma unroll
    for (int y = 0; y < kGroup; ++y) {
#pragma unroll
      for (int i = 0; i < 4; ++i) out[y][w].at[i / 2][i % 2] += taken[y][i / 2][i % 2];
    }
  }
}

template <class Format, class Plan>
__device__ __forceinline__ void sumQueries(const CoreArguments<typename Format::Value>& core,
                                           const CoreGrid<Plan>& grid,
                                           Indices indices) {
  using Value = typename Format::Value;
  using Access = typename Plan::Access;
  constexpr int kColumns = Plan::kQueryColumns;
  const int rowGroup =
      kMostWarps * indices.take(ceilDivide(grid.rowGroups, kMostWarps)) + warpOfBlock();
  const int firstColumn = kColumns * indices.take(grid.querySlices);
  const int imageGroup = indices.take(grid.imageGroups);
  if (rowGroup >= grid.rowGroups) return;

  const Corner corner = grid.corner(imageGroup, rowGroup);
  const ValueSide<Value> from(core, corner);
  const PositionSide<Value> to(core, corner);
  Sums out[kGroup][kFragments<kColumns>];
  sumOverContext<Format, Access, Plan::kValueSteps, kColumns>(
      core, corner.query, from, to, firstColumn, out);
  if (core.hasContent)
    addContentToQueries<Format, Plan>(core, corner.image, from, firstColumn, out);
  const Lane lane;
#pragma unroll
  for (int y = 0; y < kGroup; ++y) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const Row<Value> row = to.rowIn(core.dq, y, lane.group + 8 * half);
      if (row.isThere) storeRow<Format, Access, kColumns>(out[y], half, row, firstColumn, lane);
    }
  }
}

}  // namespace lambda::cuda
