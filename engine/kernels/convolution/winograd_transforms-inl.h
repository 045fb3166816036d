// The transformations of Winograd's minimal filtering, along one side of a tile and along both.
// Included once for each instruction set.

#if defined(LAMBDA_WINOGRAD_TRANSFORMS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LAMBDA_WINOGRAD_TRANSFORMS_INL_H_
#undef LAMBDA_WINOGRAD_TRANSFORMS_INL_H_
#else
#define LAMBDA_WINOGRAD_TRANSFORMS_INL_H_
#endif

#include "engine/kernels/unroll.h"
#include "engine/kernels/vectors-inl.h"

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {
namespace {

constexpr Index kTaps = 3;               // Side of the kernel.
constexpr Index kOut = 4;                // Side of a tile of outputs.
constexpr Index kIn = kOut + kTaps - 1;  // Side of the inputs of such a tile.
constexpr Index kPoints = kIn * kIn;     // Multiplications a tile and pair of channels.

HWY_INLINE Vector times(float factor, Vector values) {
  return hn::Mul(hn::Set(Floats(), factor), values);
}

HWY_INLINE Vector addTimes(Vector sum, float factor, Vector values) {
  return hn::MulAdd(hn::Set(Floats(), factor), values, sum);
}

/// B^T d
HWY_INLINE void transformInput(const Vector (&d)[kIn], Vector (&v)[kIn]) {
  const Vector even = hn::Sub(d[4], d[2]), odd = hn::Sub(d[3], d[1]);
  v[0] = addTimes(addTimes(d[4], -5, d[2]), 4, d[0]);
  v[1] = addTimes(hn::Add(d[3], d[4]), -4, hn::Add(d[1], d[2]));
  v[2] = addTimes(hn::Sub(d[4], d[3]), 4, hn::Sub(d[1], d[2]));
  v[3] = addTimes(even, 2, odd);
  v[4] = addTimes(even, -2, odd);
  v[5] = addTimes(addTimes(d[5], -5, d[3]), 4, d[1]);
}

/// A^T m
HWY_INLINE void transformOutput(const Vector (&m)[kIn], Vector (&y)[kOut]) {
  const Vector sum1 = hn::Add(m[1], m[2]), difference1 = hn::Sub(m[1], m[2]);
  const Vector sum2 = hn::Add(m[3], m[4]), difference2 = hn::Sub(m[3], m[4]);
  y[0] = hn::Add(hn::Add(m[0], sum1), sum2);
  y[1] = addTimes(difference1, 2, difference2);
  y[2] = addTimes(sum1, 4, sum2);
  y[3] = hn::Add(addTimes(difference1, 8, difference2), m[5]);
}

/// G g
HWY_INLINE void transformFilter(const Vector (&g)[kTaps], Vector (&u)[kIn]) {
  const Vector ends = hn::Add(g[0], g[2]);
  const Vector outer = addTimes(times(1.0F / 24, g[0]), 1.0F / 6, g[2]);
  u[0] = times(1.0F / 4, g[0]);
  u[1] = times(-1.0F / 6, hn::Add(ends, g[1]));
  u[2] = times(-1.0F / 6, hn::Sub(ends, g[1]));
  u[3] = addTimes(outer, 1.0F / 12, g[1]);
  u[4] = addTimes(outer, -1.0F / 12, g[1]);
  u[5] = g[2];
}

/// A y, the gradient of m in A^T m
HWY_INLINE void transformOutputGradient(const Vector (&y)[kOut], Vector (&z)[kIn]) {
  const Vector even = hn::Add(y[0], y[2]), odd = hn::Add(y[1], y[3]);
  const Vector farEven = addTimes(y[0], 4, y[2]), farOdd = addTimes(y[1], 4, y[3]);
  z[0] = y[0];
  z[1] = hn::Add(even, odd);
  z[2] = hn::Sub(even, odd);
  z[3] = addTimes(farEven, 2, farOdd);
  z[4] = addTimes(farEven, -2, farOdd);
  z[5] = y[3];
}

/// G^T u, the gradient of g in G g
HWY_INLINE void transformFilterGradient(const Vector (&u)[kIn], Vector (&g)[kTaps]) {
  const Vector sum1 = hn::Add(u[1], u[2]), difference1 = hn::Sub(u[1], u[2]);
  const Vector sum2 = hn::Add(u[3], u[4]), difference2 = hn::Sub(u[3], u[4]);
  const Vector inner = times(-1.0F / 6, sum1);
  g[0] = addTimes(addTimes(inner, 1.0F / 24, sum2), 1.0F / 4, u[0]);
  g[1] = addTimes(times(-1.0F / 6, difference1), 1.0F / 12, difference2);
  g[2] = hn::Add(addTimes(inner, 1.0F / 6, sum2), u[5]);
}

/// Applies `transform` to all columns of a tile and then to all rows of the result.
template <Index kFrom, Index kTo, class Load, class Transform, class Store>
HWY_INLINE void transformBothWays(const Load& load,
                                  const Transform& transform,
                                  const Store& store) {
  Vector half[kTo][kFrom];
  LAMBDA_UNROLL(6)
  for (Index column = 0; column < kFrom; ++column) {
    Vector from[kFrom], to[kTo];
    LAMBDA_UNROLL(6)
    for (Index row = 0; row < kFrom; ++row) from[row] = load(row, column);
    transform(from, to);
    LAMBDA_UNROLL(6)
    for (Index row = 0; row < kTo; ++row) half[row][column] = to[row];
  }
  LAMBDA_UNROLL(6)
  for (Index row = 0; row < kTo; ++row) {
    Vector to[kTo];
    transform(half[row], to);
    LAMBDA_UNROLL(6)
    for (Index column = 0; column < kTo; ++column) store(row, column, to[column]);
  }
}

// The transformations as objects, to pass to transformBothWays().
const auto byInput = [](const Vector (&d)[kIn], Vector (&v)[kIn])
                         HWY_ATTR { transformInput(d, v); };
const auto byOutput = [](const Vector (&m)[kIn], Vector (&y)[kOut])
                          HWY_ATTR { transformOutput(m, y); };
const auto byFilter = [](const Vector (&g)[kTaps], Vector (&u)[kIn])
                          HWY_ATTR { transformFilter(g, u); };
const auto byOutputGradient = [](const Vector (&y)[kOut], Vector (&z)[kIn])
                                  HWY_ATTR { transformOutputGradient(y, z); };
const auto byFilterGradient = [](const Vector (&u)[kIn], Vector (&g)[kTaps])
                                  HWY_ATTR { transformFilterGradient(u, g); };

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#endif  // LAMBDA_WINOGRAD_TRANSFORMS_INL_H_
