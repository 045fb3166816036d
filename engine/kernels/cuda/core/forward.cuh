#pragma once

// The forward pass of the CUDA lambda core, y. See the page in
// engine/kernels/lambda_core/lambda_core_kernel.h. A block has four images and kValueColumns
// columns of v; each of its warps has four queries by four heads. First, all warps together make
// the content lambdas of the images in shared memory. They then count as k more rows of the
// context, whose scores are the queries themselves. The sums of y stay in registers until the whole
// context is done.

#include "engine/kernels/cuda/core/content.cuh"
#include "engine/kernels/cuda/core/passes.cuh"
#include "engine/kernels/cuda/core/plan.cuh"
#include "engine/kernels/cuda/core/sums.cuh"
#include "engine/kernels/cuda/launch.cuh"

namespace lambda::cuda {

/// Warps of a block: at most as many as there are groups of rows.
template <class Plan>
__host__ __device__ int warpsOf(const CoreGrid<Plan>& grid) {
  return grid.rowGroups < kMostWarps ? grid.rowGroups : kMostWarps;
}

/// Makes the content lambdas [4, k in whole steps, kValueColumns] of the block's images in shared
/// memory, and stores them in device memory too if `isFirst`.
template <class Format, class Plan>
__device__ __forceinline__ void makeContentLambdas(
    const CoreArguments<typename Format::Value>& core,
    const CoreGrid<Plan>& grid,
    int firstImage,
    int firstColumn,
    bool isFirst,
    typename Format::Value* lambdas) {
  using Value = typename Format::Value;
  using Access = typename Plan::Access;
  constexpr int kColumns = Plan::kValueColumns;
  const Lane lane;
  const int lambdaRows = 16 * grid.lambdaTiles;
  for (int item = warpOfBlock(); item < kGroup; item += warpsOf(grid)) {
    const int image = min(firstImage + item, core.images - 1);
    const bool isStored = isFirst && firstImage + item < core.images;
    const auto keys = rowsOfImage(core.keys, image, core.context, core.queryDepth);
    const auto values = rowsOfImage(core.values, image, core.context, core.valueDepth);
    const RowsOfImage<Value> shared{lambdas + item * lambdaRows * kColumns, lambdaRows, kColumns};
    const auto stored = rowsOfImage(core.contentLambdas, image, core.queryDepth, core.valueDepth);
    for (int first = 0; first < lambdaRows; first += 16) {
      Sums sums[kFragments<kColumns>];
      sumOuterProducts<Format, Access, kColumns>(keys, first, values, firstColumn, 0, 1, sums);
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int index = first + columnOfRow(half, lane);
        storeRow<Format, AlignedAccess, kColumns>(sums, half, shared.row(index), 0, lane);
        const Row<Value> row = stored.row(index);
        if (isStored && row.isThere)
          storeRow<Format, Access, kColumns>(sums, half, row, firstColumn, lane);
      }
    }
  }
}

/// out[y] += q lambda_y
template <class Format, class Plan>
__device__ __forceinline__ void applyContentLambdas(
    const PositionSide<typename Format::Value>& queries,
    const CoreGrid<Plan>& grid,
    const typename Format::Value* lambdasOfBlock,
    Sums (&out)[kGroup][kFragments<Plan::kValueColumns>]) {
  using Value = typename Format::Value;
  constexpr int kColumns = Plan::kValueColumns;
  const Lane lane;
  const int lambdaRows = 16 * grid.lambdaTiles;
  const RowsOfImage<const Value> lambdas{lambdasOfBlock, kGroup * lambdaRows, kColumns};
  for (int step = 0; step < grid.lambdaTiles; ++step) {
    typename Format::Pair products[kGroup][2][2];
#pragma unroll
    for (int x = 0; x < kGroup; ++x) {
      const Left<Format> rows = loadItemRows<Format, typename Plan::Access>(queries, x, step, lane);
#pragma unroll
      for (int half = 0; half < 2; ++half) {
#pragma unroll
        for (int p = 0; p < 2; ++p) products[x][half][p] = rows.rows[half].pairs[p];
      }
    }
    typename Format::Pair shares[kGroup][2][2];
    exchangeItems<Format, kLaneBitOfRows>(products, shares);
#pragma unroll
    for (int y = 0; y < kGroup; ++y) {
      const Left<Format> left = leftOfRows<Format>(shares[y]);
      Row<const Value> rows[4];
#pragma unroll
      for (int slot = 0; slot < 4; ++slot)
        rows[slot] = lambdas.row(lambdaRows * y + 16 * step + 4 * lane.place + slot);
      Quad<Format> right[kFragments<kColumns>];
      loadAcross<Format, AlignedAccess, kColumns, FromShared>(rows, 0, lane, right);
#pragma unroll
      for (int w = 0; w < kFragments<kColumns>; ++w) Format::multiply(out[y][w], left, right[w]);
    }
  }
}

template <class Format, class Plan>
__global__ void __launch_bounds__(kMostWarps* kWarpSize)
    forwardKernel(const __grid_constant__ CoreArguments<typename Format::Value> core) {
  using Value = typename Format::Value;
  constexpr int kColumns = Plan::kValueColumns;
  const Lane lane;
  const CoreGrid<Plan> grid(core);
  const int warps = warpsOf(grid);
  Indices indices(blockIdx.x);
  const int firstGroup = warps * indices.take(ceilDivide(grid.rowGroups, warps));
  const int firstColumn = kColumns * indices.take(grid.valueSlices);
  const int imageGroup = indices.take(grid.imageGroups);

  auto* lambdas = static_cast<Value*>(sharedMemory());
  if (core.hasContent) {
    makeContentLambdas<Format>(
        core, grid, kGroup * imageGroup, firstColumn, firstGroup == 0, lambdas);
    __syncthreads();
  }
  const int rowGroup = firstGroup + warpOfBlock();
  if (rowGroup >= grid.rowGroups) return;

  const Corner corner = grid.corner(imageGroup, rowGroup);
  const PositionSide<Value> from(core, corner);
  const ValueSide<Value> to(core, corner);
  Sums out[kGroup][kFragments<kColumns>];
  sumOverContext<Format, typename Plan::Access, Plan::kQuerySteps, kColumns>(
      core, corner.query, from, to, firstColumn, out);
  if (core.hasContent) applyContentLambdas<Format>(from, grid, lambdas, out);
#pragma unroll
  for (int y = 0; y < kGroup; ++y) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const Row<Value> row = to.rowIn(core.y, y, lane.group + 8 * half);
      if (row.isThere)
        storeRow<Format, typename Plan::Access, kColumns>(out[y], half, row, firstColumn, lane);
    }
  }
}

template <class Format>
cudaError_t forward(const CoreArguments<typename Format::Value>& core,
                    bool isAligned,
                    cudaStream_t stream) {
  return withPlan(isAligned, core.queryDepth, core.valueDepth, [&](auto plan) {
    using Chosen = decltype(plan);
    const CoreGrid<Chosen> grid(core);
    const int warps = warpsOf(grid);
    const std::int64_t blocks =
        std::int64_t{ceilDivide(grid.rowGroups, warps)} * grid.valueSlices * grid.imageGroups;
    const std::size_t lambdaBytes =
        sizeof(typename Format::Value) * kGroup * 16 * grid.lambdaTiles * Chosen::kValueColumns;
    return launch(forwardKernel<Format, Chosen>, blocks, warps, lambdaBytes, stream, core);
  });
}

}  // namespace lambda::cuda
