#pragma once

// How the work of the CUDA lambda core is cut up: which sizes a kernel is compiled for, and how
// many groups of four, tiles of 16 context rows and slices of columns there are for blocks and
// warps. See the page in engine/kernels/lambda_core/lambda_core_kernel.h.

#include "engine/kernels/cuda/core/core_arguments.cuh"
#include "engine/kernels/cuda/core/memory.cuh"
#include "engine/kernels/cuda/core/sides.cuh"

namespace lambda::cuda {

/// The sizes that a kernel is compiled for.
template <class AccessOfRows,
          bool kIsShortQuery,
          bool kIsShortValue,
          int kColumnsOfK,
          int kColumnsOfV>
struct Plan {
  using Access = AccessOfRows;
  static constexpr int kQuerySteps = kIsShortQuery ? 1 : 0;  ///< kSteps of stepsOf() for k.
  static constexpr int kValueSteps = kIsShortValue ? 1 : 0;  ///< kSteps of stepsOf() for v.
  static constexpr int kQueryColumns = kColumnsOfK;  ///< Columns of k that a warp makes at once.
  static constexpr int kValueColumns = kColumnsOfV;  ///< Columns of v that a warp makes at once.
};

using NarrowPlan = Plan<AlignedAccess, true, true, 16, 16>;       ///< k and v up to 16.
using ShortQueryPlan = Plan<AlignedAccess, true, false, 16, 32>;  ///< k up to 16.
using WidePlan = Plan<AlignedAccess, false, false, 32, 32>;       ///< Any multiples of 4.
using UnalignedPlan = Plan<ElementAccess, false, false, 16, 16>;  ///< Any sizes, any alignment.

/// Calls `run` with the plan for the sizes and returns its result.
template <class Run>
auto withPlan(bool isAligned, int queryDepth, int valueDepth, const Run& run) {
  if (!isAligned || queryDepth % 4 != 0 || valueDepth % 4 != 0) return run(UnalignedPlan());
  if (queryDepth > 16) return run(WidePlan());
  if (valueDepth > 16) return run(ShortQueryPlan());
  return run(NarrowPlan());
}

/// Splits the index of a block into one index for each count, the fastest-changing first.
class Indices {
 public:
  explicit __device__ __forceinline__ Indices(unsigned index) : rest_(index) {}

  __device__ __forceinline__ int take(int count) {
    const unsigned taken = rest_ % static_cast<unsigned>(count);
    rest_ /= static_cast<unsigned>(count);
    return static_cast<int>(taken);
  }

 private:
  unsigned rest_;
};

/// How many groups of four, tiles and slices a core has.
template <class Plan>
struct CoreGrid {
  template <class Value>
  explicit __host__ __device__ CoreGrid(const CoreArguments<Value>& core)
      : imageGroups(ceilDivide(core.images, kGroup)),
        headGroups(ceilDivide(core.heads, kGroup)),
        rowGroups(ceilDivide(core.queries, kGroup) * headGroups),
        contextTiles(ceilDivide(core.embeddedContext, kContextTile)),
        querySlices(ceilDivide(core.queryDepth, Plan::kQueryColumns)),
        valueSlices(ceilDivide(core.valueDepth, Plan::kValueColumns)),
        lambdaTiles(core.hasContent ? ceilDivide(core.queryDepth, 16) : 0) {}

  /// The corner of the four images, queries and heads that a warp works on.
  __device__ __forceinline__ Corner corner(int imageGroup, int rowGroup) const {
    return {
        kGroup * imageGroup, kGroup * (rowGroup / headGroups), kGroup * (rowGroup % headGroups)};
  }

  int imageGroups;   ///< Groups of four images.
  int headGroups;    ///< Groups of four heads.
  int rowGroups;     ///< Groups of four queries by four heads.
  int contextTiles;  ///< Tiles of 16 context rows with embeddings.
  int querySlices;   ///< Slices of kQueryColumns columns of k.
  int valueSlices;   ///< Slices of kValueColumns columns of v.
  int lambdaTiles;   ///< Tiles of 16 rows of a content lambda; 0 without one.
};

__device__ __forceinline__ int warpOfBlock() {
  return static_cast<int>(threadIdx.x) / kWarpSize;
}

}  // namespace lambda::cuda
