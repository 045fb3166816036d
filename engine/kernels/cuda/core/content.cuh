#pragma once

// The products that make content lambdas in the CUDA lambda core. Unlike scores they are products
// of whole matrices of one image: lambda_c = kbar^T v of keys and values, and dlambda_c = q^T dy of
// queries and output gradients. See the page in engine/kernels/lambda_core/lambda_core_kernel.h.

#include "engine/kernels/cuda/core/memory.cuh"
#include "engine/kernels/cuda/core/sides.cuh"

namespace lambda::cuda {

/// Rows of one image: [count, depth]. An index beyond the end gives the last row, marked as
/// missing.
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

/// out [16, kColumns] += a^T b, summed over the rows of the 16-row steps `step`, `step + stride`,
/// ... Columns of a are taken from `firstOfA` on, of b from `firstOfB` on. Row g of a fragment is
/// column 2 g of a, row g + 8 is column 2 g + 1.
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

/// The column of a in row g of a fragment of sumOuterProducts(), or in row g + 8 if `half` is 1.
__device__ __forceinline__ int columnOfRow(int half, Lane lane) {
  return 2 * lane.group + half;
}

}  // namespace lambda::cuda
