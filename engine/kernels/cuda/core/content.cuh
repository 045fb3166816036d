#pragma once

// Content lambdas are made of whole matrices of an image: kbar^T v of keys and values, their
// gradient q^T dy of queries and outputs.

#include "engine/kernels/cuda/core/memory.cuh"
#include "engine/kernels/cuda/core/sides.cuh"

namespace lambda::cuda {

/// Rows of one image: [count, depth]. The last stands for one that isn't there.
template <class Value>
struct RowsOfImage {
  __device__ __forceinline__ Row<Value> row(int index) const {
    return {base, min(index, count - 1) * depth, depth, index < count};
  }

  Value* base;
  int count;
  int depth;
};

/// The rows of an image in `tensor` [b, count, depth].
template <class Value>
__device__ __forceinline__ RowsOfImage<Value> rowsOfImage(Value* tensor,
                                                          int image,
                                                          int count,
                                                          int depth) {
  return {imageOf(tensor, image, count * depth), count, depth};
}

/// out [16, kColumns] += a^T b, of the rows of the 16-row steps `step`, `step + stride`, ...;
/// columns of a from `firstOfA` on, of b from `firstOfB` on. Row g of a fragment stands for column
/// 2 g of a, row g + 8 for column 2 g + 1.
template <class Format, class Access, int kColumns, class Value>
__device__ __forceinline__ void sumOuterProducts(const RowsOfImage<const Value>& a,
                                                 int firstOfA,
                                                 const RowsOfImage<const Value>& b,
                                                 int firstOfB,
                                                 int step,
                                                 int stride,
                                                 Sums (&out)[kFragments<kColumns>]) {
  const Lane lane;
#pragma unroll 4
  for (; 16 * step < a.count; step += stride) {
    Row<const Value> rowsOfA[4];
    Row<const Value> rowsOfB[4];
#pragma unroll
    for (int slot = 0; slot < 4; ++slot) {
      rowsOfA[slot] = a.row(16 * step + 4 * slot + lane.place);
      rowsOfB[slot] = asColumn(b.row(16 * step + 4 * slot + lane.place));
    }
    Quad<Format> columns[2];
    loadAcross<Format, Access, 16>(rowsOfA, firstOfA, lane, columns);
    const Left<Format> left{{columns[0], columns[1]}};
    Quad<Format> right[kFragments<kColumns>];
    loadAcross<Format, Access, kColumns>(rowsOfB, firstOfB, lane, right);
#pragma unroll
    for (int w = 0; w < kFragments<kColumns>; ++w) Format::multiply(out[w], left, right[w]);
  }
}

/// Column of a that row g of a fragment of sumOuterProducts() stands for, g + 8 if `half` is 1.
__device__ __forceinline__ int columnOfRow(int half, Lane lane) {
  return 2 * lane.group + half;
}

}  // namespace lambda::cuda
