// The factors by which the running state of a causal lambda takes up the next position, for all
// positions. Included once for each instruction set.

#if defined(LAMBDA_CAUSAL_FACTORS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LAMBDA_CAUSAL_FACTORS_INL_H_
#undef LAMBDA_CAUSAL_FACTORS_INL_H_
#else
#define LAMBDA_CAUSAL_FACTORS_INL_H_
#endif

#include <algorithm>
#include <cmath>
#include <limits>

#include <hwy/contrib/math/math-inl.h>

#include "engine/kernels/aligned_buffer.h"
#include "engine/kernels/causal_lambda/causal_lambda_kernel.h"
#include "engine/kernels/elements-inl.h"

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {
namespace {

/// Loads `count` values, at most a vector, followed by zeros.
HWY_INLINE Vector loadUpTo(Index count, const float* from) {
  return count >= lanes() ? load(from) : loadFirst(from, count);
}

/// Stores `count` values, at most a vector.
HWY_INLINE void storeUpTo(Index count, Vector values, float* to) {
  if (count >= lanes()) {
    store(values, to);
  } else {
    storeFirst(values, count, to);
  }
}

/// keep, add and the factor of dK, see causal_lambda_kernel.h, each [b, n, u, depth] with a depth
/// of whole vectors. What stands beyond k is finite.
class CausalFactors {
 public:
  /// `seen`: CausalLambdaState::keys.
  CausalFactors(const CausalLambdaShape& shape,
                const float* keys,
                double* seen,
                const ParallelFor& parallelFor)
      : depth((shape.queryDepth + lanes() - 1) / lanes() * lanes()),
        size_(shape.images * shape.positions * shape.intraDepth * depth),
        memory_(allocateAligned<float>(3 * size_)) {
    parallelFor(shape.images * shape.intraDepth, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i)
        writeChannels(shape, keys, seen, i / shape.intraDepth, i % shape.intraDepth);
    });
  }

  const float* keep() const { return memory_.get(); }

  const float* add() const { return memory_.get() + size_; }

  const float* gradient() const { return memory_.get() + 2 * size_; }

  const Index depth;

 private:
  void writeChannels(
      const CausalLambdaShape& shape, const float* keys, double* seen, Index image, Index u) {
    const Index first = image * shape.positions * shape.intraDepth + u;
    for (Index k = 0; k < shape.queryDepth; k += lanes()) {
      const Index count = std::min(shape.queryDepth - k, lanes());
      double* const before =
          seen == nullptr ? nullptr : seen + (image * shape.intraDepth + u) * shape.queryDepth + k;
      write(shape, count, keys + first * shape.queryDepth + k, before, first * depth + k);
    }
  }

  /// Writes the factors of `count` channels at all positions, from `at` on.
  void write(
      const CausalLambdaShape& shape, Index count, const float* keys, double* seen, Index at) {
    switch (shape.keys) {
      case SeenKeys::softmax:
        return writeSoftmax(shape, count, keys, seen, at);
      case SeenKeys::l2:
        for (Index i = 0; i < lanes(); ++i) {
          const bool isKey = i < count;
          writeL2(shape,
                  isKey ? keys + i : nullptr,
                  isKey && seen != nullptr ? seen + i : nullptr,
                  at + i);
        }
        return;
      case SeenKeys::asTheyAre:
        for (Index n = 0; n < shape.positions; ++n) {
          const Vector key = loadUpTo(count, keys + n * shape.intraDepth * shape.queryDepth);
          const Vector one = hn::Set(Floats(), 1);
          put(at + n * shape.intraDepth * depth, one, key, one);
        }
    }
  }

  /// The sum of e^K so far is kept relative to the greatest key so far.
  void writeSoftmax(
      const CausalLambdaShape& shape, Index count, const float* keys, double* seen, Index at) {
    const Floats d;
    const Vector zero = hn::Zero(d), one = hn::Set(d, 1);
    HWY_ALIGN float greatestKeys[hn::MaxLanes(Floats())], sums[hn::MaxLanes(Floats())] = {};
    std::fill_n(greatestKeys, lanes(), -std::numeric_limits<float>::infinity());
    for (Index i = 0; seen != nullptr && i < count; ++i) {
      greatestKeys[i] = static_cast<float>(seen[i]);
      if (std::isinf(seen[i])) continue;
      sums[i] = static_cast<float>(std::exp(seen[i] - static_cast<double>(greatestKeys[i])));
    }
    Vector greatest = load(greatestKeys), sum = load(sums);
    for (Index n = 0; n < shape.positions; ++n) {
      const Vector key = loadUpTo(count, keys + n * shape.intraDepth * shape.queryDepth);
      const Vector rise = hn::Sub(key, greatest);
      const Vector power = hn::Exp(d, hn::Neg(hn::Abs(rise)));
      const auto rises = hn::Gt(rise, zero);
      const Vector kept = hn::IfThenElse(rises, hn::Mul(sum, power), sum);
      const Vector added = hn::IfThenElse(rises, one, power);
      greatest = hn::Max(greatest, key);
      sum = hn::Add(kept, added);
      const Vector share = hn::Mul(added, hn::Div(one, sum));
      put(at + n * shape.intraDepth * depth, hn::Div(kept, sum), share, share);
    }
    store(greatest, greatestKeys);
    store(sum, sums);
    for (Index i = 0; seen != nullptr && i < count; ++i)
      seen[i] = static_cast<double>(greatestKeys[i]) + std::log(static_cast<double>(sums[i]));
  }

  /// One channel, null for one beyond k. Squares in double neither overflow nor vanish. As long as
  /// all keys are 0 they are divided by 1.
  void writeL2(const CausalLambdaShape& shape, const float* key, double* seen, Index at) {
    constexpr double kMost = std::numeric_limits<float>::max();
    double squares = seen == nullptr ? 0 : *seen * *seen;
    double before = squares > 0 ? *seen : 1;
    for (Index n = 0; n < shape.positions; ++n, at += shape.intraDepth * depth) {
      const double now = key == nullptr ? 0 : double{*key};
      squares += now * now;
      const double length = squares > 0 ? std::sqrt(squares) : 1;
      keepAt(at) = static_cast<float>(std::min(before / length, kMost));
      addAt(at) = static_cast<float>(now / length);
      gradientAt(at) = static_cast<float>(std::min(1 / length, kMost));
      before = length;
      if (key != nullptr) key += shape.intraDepth * shape.queryDepth;
    }
    if (seen != nullptr) *seen = std::sqrt(squares);
  }

  HWY_INLINE void put(Index at, Vector keep, Vector add, Vector gradient) {
    store(keep, &keepAt(at));
    store(add, &addAt(at));
    store(gradient, &gradientAt(at));
  }

  float& keepAt(Index i) { return memory_[static_cast<std::size_t>(i)]; }

  float& addAt(Index i) { return memory_[static_cast<std::size_t>(size_ + i)]; }

  float& gradientAt(Index i) { return memory_[static_cast<std::size_t>(2 * size_ + i)]; }

  Index size_;
  hwy::AlignedFreeUniquePtr<float[]> memory_;
};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#endif  // LAMBDA_CAUSAL_FACTORS_INL_H_
