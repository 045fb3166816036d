#pragma once

// The backward pass of the CUDA lambda core: two kernels. See the page in
// engine/kernels/lambda_core/lambda_core_kernel.h. The blocks of the first kernel have four
// different tasks that do not depend on each other: the gradients of the embeddings, the position
// part of the values' gradients, the gradients of the content lambdas (all in
// context_gradients.cuh) and those of the queries (query_gradients.cuh). The second kernel adds up
// what these made in parts (finish.cuh).

#include "engine/kernels/cuda/core/context_gradients.cuh"
#include "engine/kernels/cuda/core/finish.cuh"
#include "engine/kernels/cuda/core/passes.cuh"
#include "engine/kernels/cuda/core/query_gradients.cuh"
#include "engine/kernels/cuda/launch.cuh"

namespace lambda::cuda {

/// The number of blocks of each task, in the order of the grid: the longest task first.
template <class Plan>
struct BackwardBlocks {
  template <class Value>
  __host__ __device__ BackwardBlocks(const CoreArguments<Value>& core, const CoreGrid<Plan>& grid)
      : embeddings(std::int64_t{grid.contextTiles} * grid.querySlices *
                   ceilDivide(core.queries, kGroup) * core.imageSplits),
        positionValues(std::int64_t{grid.contextTiles} * grid.valueSlices * grid.imageGroups),
        contentLambdas(std::int64_t{grid.lambdaTiles} * grid.valueSlices * core.images),
        queries(std::int64_t{ceilDivide(grid.rowGroups, kMostWarps)} * grid.querySlices *
                grid.imageGroups) {}

  std::int64_t embeddings, positionValues, contentLambdas, queries;
};

template <class Format, class Plan>
__global__ void __launch_bounds__(kMostWarps* kWarpSize)
    backwardKernel(const __grid_constant__ CoreArguments<typename Format::Value> core) {
  const CoreGrid<Plan> grid(core);
  const BackwardBlocks<Plan> blocks(core, grid);
  std::int64_t block = blockIdx.x;
  if (block < blocks.embeddings) {
    return sumEmbeddings<Format>(core, grid, Indices(static_cast<unsigned>(block)));
  }
  block -= blocks.embeddings;
  if (block < blocks.positionValues) {
    return sumPositionValues<Format>(core, grid, Indices(static_cast<unsigned>(block)));
  }
  block -= blocks.positionValues;
  if (block < blocks.contentLambdas) {
    return sumContentLambdas<Format>(core, grid, Indices(static_cast<unsigned>(block)));
  }
  block -= blocks.contentLambdas;
  sumQueries<Format>(core, grid, Indices(static_cast<unsigned>(block)));
}

template <class Format>
cudaError_t backward(const CoreArguments<typename Format::Value>& core,
                     bool isAligned,
                     cudaStream_t stream) {
  return withPlan(isAligned, core.queryDepth, core.valueDepth, [&](auto plan) {
    using Chosen = decltype(plan);
    const BackwardBlocks<Chosen> blocks(core, CoreGrid<Chosen>(core));
    const cudaError_t outcome =
        launch(backwardKernel<Format, Chosen>,
               blocks.embeddings + blocks.positionValues + blocks.contentLambdas + blocks.queries,
               kMostWarps,
               addWarpsBytes<Chosen>(),
               stream,
               core);
    if (outcome != cudaSuccess) return outcome;
    const std::int64_t contentBlocks =
        core.hasContent
            ? std::int64_t{ceilDivide(ceilDivide(core.context, kContextTile), kMostWarps)} *
                  core.images
            : 0;
    return launch(finishKernel<Format, Chosen>,
                  tableBlocks(core) + contentBlocks,
                  kMostWarps,
                  sizeof(float) * kMostWarps * kWarpSize,
                  stream,
                  core);
  });
}

}  // namespace lambda::cuda
