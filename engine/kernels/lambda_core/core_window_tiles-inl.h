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
template <class T>
struct RowsOfQueries {
  HWY_INLINE T* row(int query, int r) const { return base + query * apart + r * stride; }

  T* base;
  Index apart;  ///< From query to query.
  Index stride;
};

/// Adds scores times values to a vector of columns of kRows outputs of each of kQueries queries. A
/// few rows of one query would leave the multipliers waiting for their sums. The values of a query
/// lie `apart` floats after those of the query before, in runs of rows. Other memory is fetched
/// meanwhile.
template <int kQueries, int kRows, class Stride>
HWY_INLINE void addOutputTile(const RowsOfQueries<float>& outputs,
                              const RowsOfQueries<const float>& scores,
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
  for (Index j = 0; j < depth.count; ++j) {
    ahead.next();
    ahead.next();
    const auto run = values.run(j);
    const float* ofQuery[kQueries];
    LAMBDA_UNROLL(4)
    for (int q = 0; q < kQueries; ++q) ofQuery[q] = scores.row(q, 0) + j * depth.length;
    for (Index i = 0; i < depth.length; ++i) {
      LAMBDA_UNROLL(4)
      for (int q = 0; q < kQueries; ++q) {
        const Vector factor = hn::LoadU(d, run.row(i) + q * apart);
        LAMBDA_UNROLL(4)
        for (int r = 0; r < kRows; ++r) {
          const Vector score = hn::Set(d, ofQuery[q][r * scores.stride + i]);
          sums[q][r] = hn::MulAdd(score, factor, sums[q][r]);
        }
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
/// for each column of the scores. They lie in `runs`, `apart` floats from run to run. Rows of
/// `scores` lie a stride apart. Other memory is fetched meanwhile.
template <int kRows>
HWY_INLINE void addToRuns(const float* scores,
                          Index scoreStride,
                          const float* dy,
                          float* rows,
                          Index apart,
                          Runs runs,
                          FetchAhead& ahead) {
  const Floats d;
  Vector factors[kRows];
  for (int r = 0; r < kRows; ++r) factors[r] = hn::LoadU(d, dy + r * lanes());
  for (Index j = 0; j < runs.count; ++j, rows += apart, scores += runs.length) {
    ahead.next();
    for (Index i = 0; i < runs.length; ++i) {
      float* to = rows + i * lanes();
      Vector sum = hn::LoadU(d, to);
      LAMBDA_UNROLL(4)
      for (int r = 0; r < kRows; ++r)
        sum = hn::MulAdd(hn::Set(d, scores[r * scoreStride + i]), factors[r], sum);
      hn::StoreU(sum, d, to);
    }
  }
}

/// Where a vector of score gradients is read and written: the offset of its values from those of
/// the panel, and that of its columns.
struct ScoreVector {
  Index values;
  Index column;
};

/// Vectors of v^T, `stride` floats from depth to depth, and the places of their score gradients.
/// Later vectors may overwrite the end of earlier ones.
template <int kVectors>
struct WholeScores {
  WholeScores(const float* values, Index strideOfDepths, const ScoreVector* listed)
      : stride(strideOfDepths), vectors(listed) {
    for (int j = 0; j < kVectors; ++j) at[j] = values + vectors[j].values;
  }

  /// The j-th vector of the present depth; moves it on to the next one.
  HWY_INLINE Vector take(int j) {
    const Vector values = hn::LoadU(Floats(), at[j]);
    at[j] += stride;
    return values;
  }

  HWY_INLINE void store(Vector gradients, int j, float* row) const {
    hn::StoreU(gradients, Floats(), row + vectors[j].column);
  }

  const float* at[kVectors];
  Index stride;
  const ScoreVector* vectors;
};

#if HWY_TARGET <= HWY_AVX3
/// The same for runs of at most half a vector. A vector has two of them, of successive rows of the
/// map, which lie `apart` floats apart in v^T. There are `count` runs, twice kVectors or one less,
/// of `run` columns each.
template <int kVectors>
struct PairsOfRuns {
  PairsOfRuns(const float* values, Index strideOfDepths, Index apartInMap, Index count, Index run)
      : stride(strideOfDepths), apart(apartInMap), columns(run), isWhole(count == 2 * kVectors) {
    for (int j = 0; j < kVectors; ++j) at[j] = values + 2 * j * apart;
    // Without a second run, the last vector has its first one twice.
    apartInLast = isWhole ? apart : 0;
  }

  HWY_INLINE Vector take(int j) {
    const hn::Half<Floats> half;
    const float* second = at[j] + (j + 1 < kVectors ? apart : apartInLast);
    const Vector values = hn::Combine(Floats(), hn::LoadU(half, second), hn::LoadU(half, at[j]));
    at[j] += stride;
    return values;
  }

  HWY_INLINE void store(Vector gradients, int j, float* row) const {
    const hn::Half<Floats> half;
    float* to = row + 2 * j * columns;
    hn::StoreU(hn::LowerHalf(half, gradients), half, to);
    if (j + 1 < kVectors || isWhole) hn::StoreU(hn::UpperHalf(half, gradients), half, to + columns);
  }

  const float* at[kVectors];
  Index stride, apart, apartInLast, columns;
  bool isWhole;
};
#endif

/// Computes kRows x kVectors vectors of score gradients dy v^T in registers. `vectors` are
/// WholeScores or PairsOfRuns.
template <int kRows, template <int> class Vectors, int kVectors, class Depth>
HWY_INLINE void scoreGradientTile(Depth depth,
                                  const float* dy,
                                  Vectors<kVectors> vectors,
                                  float* gradient,
                                  Index gradientStride) {
  const Floats d;
  Vector sums[kRows][kVectors];
  LAMBDA_UNROLL(4)
  for (int r = 0; r < kRows; ++r) {
    LAMBDA_UNROLL(8)
    for (int j = 0; j < kVectors; ++j) sums[r][j] = hn::Zero(d);
  }
  for (Index c = 0; c < depth; ++c) {
    Vector factors[kVectors];
    LAMBDA_UNROLL(8)
    for (int j = 0; j < kVectors; ++j) factors[j] = vectors.take(j);
    LAMBDA_UNROLL(4)
    for (int r = 0; r < kRows; ++r) {
      const Vector value = hn::Set(d, dy[r * depth + c]);
      LAMBDA_UNROLL(8)
      for (int j = 0; j < kVectors; ++j) sums[r][j] = hn::MulAdd(value, factors[j], sums[r][j]);
    }
  }
  LAMBDA_UNROLL(4)
  for (int r = 0; r < kRows; ++r) {
    LAMBDA_UNROLL(8)
    for (int j = 0; j < kVectors; ++j) vectors.store(sums[r][j], j, gradient + r * gradientStride);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#endif  // LAMBDA_CORE_WINDOW_TILES_INL_H_
