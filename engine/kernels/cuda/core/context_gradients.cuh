#pragma once

// Backward pass of the CUDA lambda core: the gradients of embeddings, values and content lambdas,
// which are sums over rows (image, query, head). A block makes one tile of a gradient. Its warps
// sum over different rows, and their parts are added in the order of the warps through shared
// memory, so the bits are the same in every run. See the page in
// engine/kernels/lambda_core/lambda_core_kernel.h.

#include "engine/kernels/cuda/core/content.cuh"
#include "engine/kernels/cuda/core/plan.cuh"
#include "engine/kernels/cuda/core/sums.cuh"

namespace lambda::cuda {

/// Adds the warps' sums in order; the first warp gets the total. All warps of the block must call
/// it.
template <int kItems, int kCount>
__device__ __forceinline__ void addWarps(Sums (&sums)[kItems][kCount]) {
  auto* parts = static_cast<Sums*>(sharedMemory());
  const int lane = static_cast<int>(threadIdx.x) % kWarpSize;
  const int warp = warpOfBlock();
  const auto partOf = [&](int other, int item, int i) -> Sums& {
    return parts[(((other - 1) * kItems + item) * kCount + i) * kWarpSize + lane];
  };
  if (warp > 0) {
#pragma unroll
    for (int item = 0; item < kItems; ++item) {
#pragma unroll
      for (int i = 0; i < kCount; ++i) partOf(warp, item, i) = sums[item][i];
    }
  }
  __syncthreads();
  if (warp > 0) return;
  for (int other = 1; other < kMostWarps; ++other) {
#pragma unroll
    for (int item = 0; item < kItems; ++item) {
#pragma unroll
      for (int i = 0; i < kCount; ++i) sums[item][i] += partOf(other, item, i);
    }
  }
}

/// Adds the warps' sums and calls `store(item, half, lane)` for the total: the sums of an item that
/// a lane has in row g (half 0) or g + 8 (half 1). All warps of the block must call it.
template <int kItems, int kCount, class Store>
__device__ __forceinline__ void storeTotal(Sums (&sums)[kItems][kCount], const Store& store) {
  addWarps(sums);
  if (warpOfBlock() > 0) return;
  const Lane lane;
#pragma unroll
  for (int item = 0; item < kItems; ++item) {
#pragma unroll
    for (int half = 0; half < 2; ++half) store(item, half, lane);
  }
}

/// Bytes of shared memory that addWarps() needs for any of the sums here.
template <class Plan>
constexpr std::size_t addWarpsBytes() {
  constexpr int kColumns =
      Plan::kQueryColumns > Plan::kValueColumns ? Plan::kQueryColumns : Plan::kValueColumns;
  return sizeof(Sums) * (kMostWarps - 1) * kGroup * kFragments<kColumns> * kWarpSize;
}

/// de_nm in float32 for four queries and 16 context rows, summed over a share of the images.
template <class Format, class Plan>
__device__ __forceinline__ void sumEmbeddings(const CoreArguments<typename Format::Value>& core,
                                              const CoreGrid<Plan>& grid,
                                              Indices indices) {
  using Value = typename Format::Value;
  using Access = typename Plan::Access;
  constexpr int kColumns = Plan::kQueryColumns;
  const int first = kContextTile * indices.take(grid.contextTiles);
  const int firstColumn = kColumns * indices.take(grid.querySlices);
  const int query = kGroup * indices.take(ceilDivide(core.queries, kGroup));
  const int split = indices.take(core.imageSplits);
  if (!seesAny(core, query, first)) return;

  const std::int64_t works = std::int64_t{grid.imageGroups} * grid.headGroups;
  const std::int64_t end = works * (split + 1) / core.imageSplits;
  Sums out[kGroup][kFragments<kColumns>];
  for (std::int64_t work = works * split / core.imageSplits + warpOfBlock(); work < end;
       work += kMostWarps) {
    const Corner corner{kGroup * static_cast<int>(work / grid.headGroups),
                        query,
                        kGroup * static_cast<int>(work % grid.headGroups)};
    sumOverRows<Format, Access, Plan::kValueSteps, kColumns>(core,
                                                             ValueSide<Value>(core, corner),
                                                             PositionSide<Value>(core, corner),
                                                             first,
                                                             firstColumn,
                                                             out);
  }
  storeTotal(out, [&](int y, int half, const Lane& lane) {
    if (query + y >= core.queries) return;
    const Row<float> row =
        rowsOfImage(
            core.embeddingShares, split * core.queries + query + y, core.context, core.queryDepth)
            .row(first + lane.group + 8 * half);
    if (row.isThere)
      storeRow<Float32Format, Access, kColumns>(out[y], half, row, firstColumn, lane);
  });
}

/// The position part of dv for four images and 16 context rows.
template <class Format, class Plan>
__device__ __forceinline__ void sumPositionValues(const CoreArguments<typename Format::Value>& core,
                                                  const CoreGrid<Plan>& grid,
                                                  Indices indices) {
  using Value = typename Format::Value;
  using Access = typename Plan::Access;
  constexpr int kColumns = Plan::kValueColumns;
  const int first = kContextTile * indices.take(grid.contextTiles);
  const int firstColumn = kColumns * indices.take(grid.valueSlices);
  const int imageGroup = indices.take(grid.imageGroups);
  Sums out[kGroup][kFragments<kColumns>];
  for (int rowGroup = warpOfBlock(); rowGroup < grid.rowGroups; rowGroup += kMostWarps) {
    const Corner corner = grid.corner(imageGroup, rowGroup);
    if (!seesAny(core, corner.query, first)) continue;
    sumOverRows<Format, Access, Plan::kQuerySteps, kColumns>(core,
                                                             PositionSide<Value>(core, corner),
                                                             ValueSide<Value>(core, corner),
                                                             first,
                                                             firstColumn,
                                                             out);
  }
  storeTotal(out, [&](int y, int half, const Lane& lane) {
    const int image = kGroup * imageGroup + y;
    const int index = first + lane.group + 8 * half;
    if (image >= core.images || index >= core.context) return;
    const auto rowOf = [&](auto* all) {
      return rowsOfImage(all, image, core.context, core.valueDepth).row(index);
    };
    if (core.hasContent) {
      storeRow<Float32Format, Access, kColumns>(
          out[y], half, rowOf(core.dPositionValues), firstColumn, lane);
    } else {
      storeRow<Format, Access, kColumns>(out[y], half, rowOf(core.dValues), firstColumn, lane);
    }
  });
}

/// 16 rows of the gradient dlambda_c = q^T dy of an image's content lambda.
template <class Format, class Plan>
__device__ __forceinline__ void sumContentLambdas(const CoreArguments<typename Format::Value>& core,
                                                  const CoreGrid<Plan>& grid,
                                                  Indices indices) {
  using Value = typename Format::Value;
  using Access = typename Plan::Access;
  constexpr int kColumns = Plan::kValueColumns;
  const int first = 16 * indices.take(grid.lambdaTiles);
  const int firstColumn = kColumns * indices.take(grid.valueSlices);
  const int image = indices.take(core.images);
  const int count = core.queries * core.heads;
  Sums out[1][kFragments<kColumns>];
  sumOuterProducts<Format, Access, kColumns>(rowsOfImage(core.q, image, count, core.queryDepth),
                                             first,
                                             rowsOfImage(core.dy, image, count, core.valueDepth),
                                             firstColumn,
                                             warpOfBlock(),
                                             kMostWarps,
                                             out[0]);
  const auto rows = rowsOfImage(core.dContentLambdas, image, core.queryDepth, core.valueDepth);
  storeTotal(out, [&](int item, int half, const Lane& lane) {
    const Row<Value> row = rows.row(first + columnOfRow(half, lane));
    if (row.isThere) storeRow<Format, Access, kColumns>(out[item], half, row, firstColumn, lane);
  });
}

}  // namespace lambda::cuda
