// Tiles of the products under a local window that small_products-inl.h does not have: outputs of
// several queries, gradients of values in runs, and score gradients, whose vectors lie at places of
// their own. Included once for each instruction set.

#if defined(LAMBDA_CORE_WINDOW_TILES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LAMBDA_CORE_WINDOW_TILES_INL_H_
#undef LAMBDA_CORE_WINDOW_TILES_INL_H_
#else
#define LAMBDA_CORE_WINDOW_TILES_INL_H_
#endif

#include "engine/kernels/products/product_operands-inl.h"
#include "engine/kernels/unroll.h"

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {
namespace {

/// Rows of some queries, those of each query a stride apart.
struct RowsOfQueries {
  HWY_INLINE float* row(int query, int r) const { return base + query * apart + r * stride; }

  float* base;
  Index apart;  ///< From query to query.
  Index stride;
};

/// Adds scores times values to a vector of columns of kRows outputs of each of kQueries queries. A
/// few rows of one query would leave the multipliers waiting for their sums. The scores of a query
/// lie `heads` floats after those of the query before, its values `apart` floats, in runs of rows.
/// Other memory is fetched meanwhile.
template <int kQueries, int kRows, class Heads, class Stride>
HWY_INLINE void addOutputTile(const RowsOfQueries& outputs,
                              const RowInDepth<Even>& scores,
                              Heads heads,
                              const RowsInRuns<Stride>& values,
                              Index apart,
                              Runs depth,
                              FetchAhead& ahead) {
  const Floats d;
  Vector sums[kQueries][kRows];
  LAMBDA_UNROLL(4)
  for (int q = 0; q < kQueries; ++q) {
    LAMBDA_UNROLL(4)
    for (int r = 0; r < kRows; ++r) sums[q][r] = hn::LoadU(d, outputs.row(q, r));
  }
  const float* ofColumn = scores.base;
  for (Index j = 0; j < depth.count; ++j) {
    ahead.next();
    ahead.next();
    const auto run = values.run(j);
    for (Index i = 0; i < depth.length; ++i, ofColumn += scores.stride) {
      LAMBDA_UNROLL(4)
      for (int q = 0; q < kQueries; ++q) {
        const Vector factor = hn::LoadU(d, run.row(i) + q * apart);
        LAMBDA_UNROLL(4)
        for (int r = 0; r < kRows; ++r)
          sums[q][r] = hn::MulAdd(hn::Set(d, ofColumn[q * heads + r]), factor, sums[q][r]);
      }
    }
  }
  LAMBDA_UNROLL(4)
  for (int q = 0; q < kQueries; ++q) {
    LAMBDA_UNROLL(4)
    for (int r = 0; r < kRows; ++r) hn::StoreU(sums[q][r], d, outputs.row(q, r));
  }
}

/// Adds scores times dy of kRows heads of a query, s^T dy, to rows that are a vector long: a row
/// for each column of the scores. They lie in `runs`, `apart` floats from run to run. Other memory
/// is fetched meanwhile.
template <int kRows>
HWY_INLINE void addToRuns(const RowInDepth<Even>& scores,
                          const float* dy,
                          float* rows,
                          Index apart,
                          Runs runs,
                          FetchAhead& ahead) {
  const Floats d;
  Vector factors[kRows];
  for (int r = 0; r < kRows; ++r) factors[r] = hn::LoadU(d, dy + r * lanes());
  const float* ofColumn = scores.base;
  for (Index j = 0; j < runs.count; ++j, rows += apart) {
    ahead.next();
    for (Index i = 0; i < runs.length; ++i, ofColumn += scores.stride) {
      float* to = rows + i * lanes();
      Vector sum = hn::LoadU(d, to);
      LAMBDA_UNROLL(4)
      for (int r = 0; r < kRows; ++r) sum = hn::MulAdd(hn::Set(d, ofColumn[r]), factors[r], sum);
      hn::StoreU(sum, d, to);
    }
  }
}

/// Vectors of successive queries, one for each head, `stride` floats from head to head and `apart`
/// floats from depth to depth or from column to column.
template <class T>
struct HeadsOfQueries {
  T* base;
  Index stride;
  Index apart;
};

/// Values transposed, `apart` floats from depth to depth, and where those of a column begin.
struct TransposedValues {
  const float* base;
  Index apart;
  const Index* offsets;  ///< One for each column.
};

/// Keeps GCC from reading a vector from memory again for each multiplication. Clang compiles no
/// assembly that changes a vector wider than those of the baseline.
HWY_INLINE Vector inRegister(Vector values) {
#if HWY_COMPILER_GCC_ACTUAL && HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR
  asm("" : "+v"(values.raw));
#endif
  return values;
}

/// Computes score gradients dy v^T of a vector of queries, for kHeads heads and kColumns columns,
/// in registers.
template <int kHeads, int kColumns, class Depth>
HWY_INLINE void scoreGradientTile(Depth depth,
                                  const HeadsOfQueries<const float>& dy,
                                  const TransposedValues& values,
                                  const HeadsOfQueries<float>& gradients) {
  const Floats d;
  Vector sums[kColumns][kHeads];
  const float* ofColumn[kColumns];
  LAMBDA_UNROLL(8)
  for (int i = 0; i < kColumns; ++i) {
    ofColumn[i] = values.base + values.offsets[i];
    LAMBDA_UNROLL(4)
    for (int r = 0; r < kHeads; ++r) sums[i][r] = hn::Zero(d);
  }
  const float* ofDepth = dy.base;
  Index offset = 0;
  for (Index c = 0; c < depth; ++c, ofDepth += dy.apart, offset += values.apart) {
    Vector factors[kHeads];
    LAMBDA_UNROLL(4)
    for (int r = 0; r < kHeads; ++r) factors[r] = hn::LoadU(d, ofDepth + r * dy.stride);
    LAMBDA_UNROLL(8)
    for (int i = 0; i < kColumns; ++i) {
      const Vector value = inRegister(hn::LoadU(d, ofColumn[i] + offset));
      LAMBDA_UNROLL(4)
      for (int r = 0; r < kHeads; ++r) sums[i][r] = hn::MulAdd(factors[r], value, sums[i][r]);
    }
  }
  LAMBDA_UNROLL(8)
  for (int i = 0; i < kColumns; ++i) {
    float* to = gradients.base + i * gradients.apart;
    LAMBDA_UNROLL(4)
    for (int r = 0; r < kHeads; ++r) hn::StoreU(sums[i][r], d, to + r * gradients.stride);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#endif  // LAMBDA_CORE_WINDOW_TILES_INL_H_
