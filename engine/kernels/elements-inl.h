// Loads and stores vectors of floats from and to memory of float32 or bfloat16. Included once for
// each instruction set.

#if defined(LAMBDA_ELEMENTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LAMBDA_ELEMENTS_INL_H_
#undef LAMBDA_ELEMENTS_INL_H_
#else
#define LAMBDA_ELEMENTS_INL_H_
#endif

#include <cstring>

#include "engine/kernels/element.h"
#include "engine/kernels/vectors-inl.h"

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {
namespace {

HWY_INLINE Vector load(const float* from) {
  return hn::LoadU(Floats(), from);
}

HWY_INLINE Vector load(const Bfloat16* from) {
  const hn::RebindToUnsigned<Floats> bits;
  const hn::Rebind<Bfloat16, Floats> upperHalves;
  const auto upper = hn::PromoteTo(bits, hn::LoadU(upperHalves, from));
  return hn::BitCast(Floats(), hn::ShiftLeft<16>(upper));
}

HWY_INLINE void store(Vector values, float* to) {
  hn::StoreU(values, Floats(), to);
}

/// Rounds to the nearest bfloat16, ties to even. A NaN must come from bfloat16 or from arithmetic:
/// rounding the lower half of another one may carry into its sign.
HWY_INLINE void store(Vector values, Bfloat16* to) {
  const hn::RebindToUnsigned<Floats> bits;
  const hn::RebindToSigned<Floats> integers;
  const hn::Rebind<Bfloat16, Floats> upperHalves;
  const auto exact = hn::BitCast(bits, values);
  const auto isOdd = hn::And(hn::ShiftRight<16>(exact), hn::Set(bits, 1));
  const auto rounded = hn::Add(exact, hn::Add(hn::Set(bits, 0x7FFF), isOdd));
  const auto upper = hn::BitCast(integers, hn::ShiftRight<16>(rounded));
  hn::StoreU(hn::DemoteTo(upperHalves, upper), upperHalves, to);
}

/// A vector of `count` values from memory, followed by zeros.
template <class T>
HWY_INLINE Vector loadFirst(const T* from, Index count) {
  HWY_ALIGN T values[hn::MaxLanes(Floats())] = {};
  std::memcpy(values, from, static_cast<std::size_t>(count) * sizeof(T));
  return load(values);
}

/// Stores the first `count` values of a vector.
template <class T>
HWY_INLINE void storeFirst(Vector all, Index count, T* to) {
  HWY_ALIGN T values[hn::MaxLanes(Floats())];
  store(all, values);
  std::memcpy(to, values, static_cast<std::size_t>(count) * sizeof(T));
}

/// Loads and stores whole vectors.
struct Whole {
  template <class T>
  HWY_INLINE Vector load(const T* from) const {
    return HWY_NAMESPACE::load(from);
  }

  template <class T>
  HWY_INLINE void store(Vector values, T* to) const {
    HWY_NAMESPACE::store(values, to);
  }
};

/// Loads and stores the first `count` values of a vector.
struct Few {
  template <class T>
  HWY_INLINE Vector load(const T* from) const {
    return loadFirst(from, count);
  }

  template <class T>
  HWY_INLINE void store(Vector values, T* to) const {
    storeFirst(values, count, to);
  }

  Index count;
};

/// Calls `step(i, memory)` for the vectors of begin..end.
template <class Step>
HWY_INLINE void forVectors(Index begin, Index end, const Step& step) {
  Index i = begin;
  for (; i + lanes() <= end; i += lanes()) step(i, Whole());
  if (i < end) step(i, Few{end - i});
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#endif  // LAMBDA_ELEMENTS_INL_H_
