// The widest vectors of floats of an instruction set. Included once for each of them.

#if defined(LAMBDA_VECTORS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LAMBDA_VECTORS_INL_H_
#undef LAMBDA_VECTORS_INL_H_
#else
#define LAMBDA_VECTORS_INL_H_
#endif

#include <cstdint>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Vector = hn::Vec<Floats>;
using Index = std::int64_t;

HWY_INLINE Index lanes() {
  return static_cast<Index>(hn::Lanes(Floats()));
}

/// NaN stays NaN, as in torch.
HWY_INLINE Vector relu(Vector value) {
  return hn::IfThenZeroElse(hn::Lt(value, hn::Zero(Floats())), value);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#endif  // LAMBDA_VECTORS_INL_H_
