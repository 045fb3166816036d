// The sums of the wkv for one vector of channels, token by token. Included once for each
// instruction set.

#if defined(LAMBDA_WKV_SUMS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LAMBDA_WKV_SUMS_INL_H_
#undef LAMBDA_WKV_SUMS_INL_H_
#else
#define LAMBDA_WKV_SUMS_INL_H_
#endif

#include <hwy/contrib/math/math-inl.h>

#include "engine/kernels/vectors-inl.h"
#include "engine/kernels/wkv/wkv_kernel.h"

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {
namespace {

/// The sums N = num e^maximum and D = den e^maximum over the tokens so far.
struct Sums {
  Vector num, den, maximum;
};

/// Factors of the past and of the present in a mean, the greater of which is 1.
struct Weights {
  Vector past, present;
};

/// past / present = e^logit. Highway's Exp has an error of 1 ulp, and is 0 below -104 and for NaN,
/// which has to stay NaN.
HWY_INLINE Weights weightsOf(Vector logit) {
  const Floats d;
  const Vector one = hn::Set(d, 1);
  const auto isPast = hn::Gt(logit, hn::Zero(d));
  const Vector power = hn::Exp(d, hn::Neg(hn::Abs(logit)));
  const Vector smaller = hn::IfThenElse(hn::Eq(logit, logit), power, logit);
  return {hn::IfThenElse(isPast, one, smaller), hn::IfThenElse(isPast, smaller, one)};
}

/// The weights of the sums and of a token in the wkv at this token.
HWY_INLINE Weights weightsAt(const Sums& sums, Vector k, Vector bonus) {
  return weightsOf(hn::Sub(hn::Sub(sums.maximum, k), bonus));
}

/// Adds a token to the sums. Returns the weights of e^-rate D and of the token in the new D.
HWY_INLINE Weights advance(Sums& sums, Vector k, Vector v, Vector rate) {
  const Floats d;
  const Vector one = hn::Set(d, 1);
  const Vector logit = hn::Sub(hn::Sub(sums.maximum, k), rate);
  const Weights weights = weightsOf(logit);
  const auto isPast = hn::Gt(logit, hn::Zero(d));
  const Vector lowered = hn::Sub(sums.maximum, rate);
  // Rounding adds up to half an ulp to the exponent, which num and den make up for. Exponents above
  // kWkvExactExponent have ulps of too great an effect on them.
  const Vector lost = hn::Sub(hn::Sub(sums.maximum, lowered), rate);
  const auto isExact = hn::Lt(hn::Abs(lowered), hn::Set(d, kWkvExactExponent));
  const Vector power = hn::MulAdd(lost, hn::MulAdd(lost, hn::Set(d, 0.5F), one), one);
  const Vector scale = hn::IfThenElse(hn::And(isPast, isExact), power, one);
  const Vector past = hn::Mul(weights.past, scale);
  const Vector present = hn::Mul(weights.present, scale);
  sums.num = hn::MulAdd(past, sums.num, hn::Mul(present, v));
  sums.den = hn::MulAdd(past, sums.den, present);
  sums.maximum = hn::IfThenElse(isPast, lowered, k);
  return weights;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#endif  // LAMBDA_WKV_SUMS_INL_H_
