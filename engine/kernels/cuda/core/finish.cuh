#pragma once

// The second kernel of the CUDA backward pass. It adds up the shares of the embeddings' gradients
// for each row of the table, dR, and computes dkbar = v dlambda_c^T and the content part of dv,
// kbar dlambda_c, which it adds to the position part. See the page in
// engine/kernels/lambda_core/lambda_core_kernel.h.

#include "engine/kernels/cuda/core/content.cuh"
#include "engine/kernels/cuda/core/plan.cuh"
#include "engine/kernels/cuda/core/sums.cuh"

namespace lambda::cuda {

/// Embeddings' gradients that a thread reads before it adds them, to hide the latency of memory.
inline constexpr int kPrefetchedRows = 8;

/// The gradient of one row of the table at one intra-depth, by one block: the sum over all its
/// pairs and all shares of images, in an order that depends on the sizes alone.
template <class Value>
__device__ __forceinline__ void sumTableRow(const CoreArguments<Value>& core, unsigned block) {
  const std::int64_t tableRow = block / static_cast<unsigned>(core.intraDepth);
  const int depthRow = static_cast<int>(block % static_cast<unsigned>(core.intraDepth));
  const int thread = static_cast<int>(threadIdx.x);
  const int adders = static_cast<int>(blockDim.x) / core.queryDepth;  // Threads for one column.
  const int adder = thread / core.queryDepth;
  const int column = thread % core.queryDepth;
  const std::int64_t embeddings = static_cast<std::int64_t>(core.queries) * core.context;
  float sum = 0;
  if (adder < adders) {
    const int begin = __ldg(core.pairStarts + tableRow);
    const int end = __ldg(core.pairStarts + tableRow + 1);
    float sums[kPrefetchedRows] = {};
    for (int split = 0; split < core.imageSplits; ++split) {
      const float* const share =
          core.embeddingShares + split * embeddings * core.queryDepth + column;
      for (int first = begin + adder; first < end; first += kPrefetchedRows * adders) {
        float read[kPrefetchedRows];
#pragma unroll
        for (int i = 0; i < kPrefetchedRows; ++i) {
          const int at = first + i * adders;
          const std::int64_t embedding =
              at < end ? std::int64_t{__ldg(core.pairs + at)} * core.intraDepth + depthRow : -1;
          read[i] = embedding < 0 ? 0 : __ldg(share + embedding * core.queryDepth);
        }
#pragma unroll
        for (int i = 0; i < kPrefetchedRows; ++i) sums[i] += read[i];
      }
    }
#pragma unroll
    for (int i = 0; i < kPrefetchedRows; ++i) sum += sums[i];
  }
  auto* const parts = static_cast<float*>(sharedMemory());
  parts[thread] = sum;
  __syncthreads();
  if (adder > 0) return;
  for (int other = 1; other < adders; ++other) sum += parts[other * core.queryDepth + column];
  core.dTable[(tableRow * core.intraDepth + depthRow) * core.queryDepth + column] = sum;
}

/// dkbar = v dlambda_c^T and dv = kbar dlambda_c + its position part. A warp has 16 context rows of
/// one image.
template <class Format, class Plan>
__device__ __forceinline__ void applyContentGradients(
    const CoreArguments<typename Format::Value>& core, unsigned block) {
  using Value = typename Format::Value;
  using Access = typename Plan::Access;
  const Lane lane;
  Indices indices(block);
  const int tiles = ceilDivide(core.context, kContextTile);
  const int tile = kMostWarps * indices.take(ceilDivide(tiles, kMostWarps)) + warpOfBlock();
  const int image = indices.take(core.images);
  if (tile >= tiles) return;

  const int queryDepth = core.queryDepth, valueDepth = core.valueDepth;
  const auto keys = rowsOfImage(core.keys, image, core.context, queryDepth);
  const auto values = rowsOfImage(core.values, image, core.context, valueDepth);
  const auto dLambda =
      rowsOfImage<const Value>(core.dContentLambdas, image, queryDepth, valueDepth);
  const auto dKeys = rowsOfImage(core.dKeys, image, core.context, queryDepth);
  const auto dValues = rowsOfImage(core.dValues, image, core.context, valueDepth);
  const auto parts =
      rowsOfImage<const float>(core.dPositionValues, image, core.context, valueDepth);
  const int rows[2] = {kContextTile * tile + lane.group, kContextTile * tile + lane.group + 8};

  for (int first = 0; first < queryDepth; first += Plan::kQueryColumns) {
    constexpr int kColumns = Plan::kQueryColumns;
    constexpr int kCount = kFragments<kColumns>;
    Sums out[kCount];
    for (int step = 0; step < stepsOf<Plan::kValueSteps>(valueDepth); ++step) {
      const Left<Format> left =
          loadLeftAlong<Format, Access>({values.row(rows[0]), values.row(rows[1])}, step, lane);
#pragma unroll
      for (int w = 0; w < kCount; ++w) {
        const Row<const Value> column = asColumn(dLambda.row(first + kCount * lane.group + w));
        Format::multiply(out[w], left, loadRightAlong<Format, Access>(column, step, lane));
      }
    }
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const Row<Value> row = dKeys.row(rows[half]);
      if (row.isThere) storeRow<Format, Access, kColumns>(out, half, row, first, lane);
    }
  }

  for (int first = 0; first < valueDepth; first += Plan::kValueColumns) {
    constexpr int kColumns = Plan::kValueColumns;
    Sums out[kFragments<kColumns>];
    if (core.embeddedContext > 0) {
#pragma unroll
      for (int half = 0; half < 2; ++half)
        loadRow<Access, kColumns>(parts.row(rows[half]), half, first, lane, out);
    }
    for (int step = 0; step < stepsOf<Plan::kQuerySteps>(queryDepth); ++step) {
      const Left<Format> left =
          loadLeftAlong<Format, Access>({keys.row(rows[0]), keys.row(rows[1])}, step, lane);
      Row<const Value> lambdaRows[4];
#pragma unroll
      for (int slot = 0; slot < 4; ++slot)
        lambdaRows[slot] = asColumn(dLambda.row(16 * step + 4 * lane.place + slot));
      Quad<Format> right[kFragments<kColumns>];
      loadAcross<Format, Access, kColumns>(lambdaRows, first, lane, right);
#pragma unroll
      for (int w = 0; w < kFragments<kColumns>; ++w) Format::multiply(out[w], left, right[w]);
    }
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const Row<Value> row = dValues.row(rows[half]);
      if (row.isThere) storeRow<Format, Access, kColumns>(out, half, row, first, lane);
    }
  }
}

/// Blocks for the gradient of the table: one for each row and intra-depth.
template <class Value>
__host__ __device__ std::int64_t tableBlocks(const CoreArguments<Value>& core) {
  return static_cast<std::int64_t>(core.tableRows) * core.intraDepth;
}

template <class Format, class Plan>
__global__ void __launch_bounds__(kMostWarps* kWarpSize)
    finishKernel(const __grid_constant__ CoreArguments<typename Format::Value> core) {
  const std::int64_t block = blockIdx.x;
  if (block < tableBlocks(core)) return sumTableRow(core, static_cast<unsigned>(block));
  applyContentGradients<Format, Plan>(core, static_cast<unsigned>(block - tableBlocks(core)));
}

}  // namespace lambda::cuda
