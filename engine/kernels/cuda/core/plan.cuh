#pragma once

#include "engine/kernels/cuda/core/core_arguments.cuh"
#include "engine/kernels/cuda/core/memory.cuh"
#include "engine/kernels/cuda/core/sides.cuh"

namespace lambda::cuda {

/// What a kernel knows of its sizes when it is compiled.
template <class AccessOfRows,
          bool kIsShortQuery,
          bool kIsShortValue,
          int kColumnsOfK,
          int kColumnsOfV>
struct Plan {
  using Access = AccessOfRows;
  static constexpr int kQuerySteps = kIsShortQuery ? 1 : 0;  ///< As for stepsOf().
  static constexpr int kValueSteps = kIsShortValue ? 1 : 0;
  static constexpr int kQueryColumns = kColumnsOfK;  ///< Columns of k that a warp makes at once.
  static constexpr int kValueColumns = kColumnsOfV;
};

using NarrowPlan = Plan<AlignedAccess, true, true, 16, 16>;  ///< k and v up to 16.
using UsualPlan = Plan<AlignedAccess, true, false, 16, 32>;  ///< k up to 16.
using WidePlan = Plan<AlignedAccess, false, false, 32, 32>;  ///< Any multiples of 4.
using OddPlan = Plan<ElementAccess, false, false, 16, 16>;   ///< Any sizes, lying anywhere.

/// Calls `run` with the plan for the sizes.
template <class Run>
auto withPlan(bool isAligned, int queryDepth, int valueDepth, const Run& run) {
  if (!isAligned || queryDepth % 4 != 0 || valueDepth % 4 != 0) return run(OddPlan());
  if (queryDepth > 16) return run(WidePlan());
  if (valueDepth > 16) return run(UsualPlan());
  return run(NarrowPlan());
}

/// Takes the index of a block apart into one of each count, the fastest first.
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

  /// The corner of a group of rows: four images, queries and heads.
  __device__ __forceinline__ Corner corner(int imageGroup, int rowGroup) const {
    return {
        kGroup * imageGroup, kGroup * (rowGroup / headGroups), kGroup * (rowGroup % headGroups)};
  }

  int imageGroups;   ///< Of four images.
  int headGroups;    ///< Of four heads.
  int rowGroups;     ///< Of four queries by four heads.
  int contextTiles;  ///< Of 16 rows with embeddings.
  int querySlices;   ///< Of the columns of k that a warp makes at once.
  int valueSlices;   ///< Of the columns of v.
  int lambdaTiles;   ///< Of 16 rows of a content lambda; 0 without.
};

__device__ __forceinline__ int warpOfBlock() {
  return static_cast<int>(threadIdx.x) / kWarpSize;
}

}  // namespace lambda::cuda
