// Tiles of score gradients under a local window, whose vectors lie at places of their own. Included
// once for each instruction set.

#if defined(LAMBDA_CORE_WINDOW_TILES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LAMBDA_CORE_WINDOW_TILES_INL_H_
#undef LAMBDA_CORE_WINDOW_TILES_INL_H_
#else
#define LAMBDA_CORE_WINDOW_TILES_INL_H_
#endif

#include "engine/kernels/unroll.h"
#include "engine/kernels/vectors-inl.h"

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {
namespace {

/// Where a vector of score gradients is read and written: the offset of its values from those of
/// the panel, and that of its columns.
struct ScoreVector {
  Index values;
  Index column;
};

/// Computes kRows x kVectors vectors of score gradients dy v^T in registers. `values` is v^T with
/// `stride` floats from depth to depth. Later vectors may overwrite the end of earlier ones.
template <int kRows, int kVectors, class D, class Depth>
HWY_INLINE void scoreGradientTile(D d,
                                  Depth depth,
                                  const float* dy,
                                  const float* values,
                                  Index stride,
                                  const ScoreVector* vectors,
                                  float* gradient,
                                  Index gradientStride) {
  hn::Vec<D> sums[kRows][kVectors];
  const float* at[kVectors];
  for (int j = 0; j < kVectors; ++j) at[j] = values + vectors[j].values;
  LAMBDA_UNROLL(4)
  for (int r = 0; r < kRows; ++r) {
    LAMBDA_UNROLL(8)
    for (int j = 0; j < kVectors; ++j) sums[r][j] = hn::Zero(d);
  }
  for (Index c = 0; c < depth; ++c) {
    hn::Vec<D> factors[kVectors];
    LAMBDA_UNROLL(8)
    for (int j = 0; j < kVectors; ++j) {
      factors[j] = hn::LoadU(d, at[j]);
      at[j] += stride;
    }
    LAMBDA_UNROLL(4)
    for (int r = 0; r < kRows; ++r) {
      const hn::Vec<D> value = hn::Set(d, dy[r * depth + c]);
      LAMBDA_UNROLL(8)
      for (int j = 0; j < kVectors; ++j) sums[r][j] = hn::MulAdd(value, factors[j], sums[r][j]);
    }
  }
  LAMBDA_UNROLL(4)
  for (int r = 0; r < kRows; ++r) {
    LAMBDA_UNROLL(8)
    for (int j = 0; j < kVectors; ++j)
      hn::StoreU(sums[r][j], d, gradient + r * gradientStride + vectors[j].column);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#endif  // LAMBDA_CORE_WINDOW_TILES_INL_H_
