// The sums and products that are made number by number for a token. Included once for each
// instruction set.

#if defined(LAMBDA_TOKEN_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LAMBDA_TOKEN_ROWS_INL_H_
#undef LAMBDA_TOKEN_ROWS_INL_H_
#else
#define LAMBDA_TOKEN_ROWS_INL_H_
#endif

#include <cmath>

#include <hwy/contrib/math/math-inl.h>

#include "engine/kernels/elements-inl.h"
#include "engine/kernels/token_step/token_step_kernel.h"

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {

namespace {

/// NaN stays NaN. The power is of a number that is not above 0, so that it does not overflow.
HWY_INLINE Vector sigmoid(Vector x) {
  const Floats d;
  const Vector one = hn::Set(d, 1), power = hn::Exp(d, hn::Neg(hn::Abs(x)));
  const Vector present = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), power, one);
  return hn::IfThenElse(hn::Eq(x, x), hn::Div(present, hn::Add(one, power)), x);
}

/// The sum of `term(i, memory)` over the vectors of 0..count, in which cut vectors end with zeros.
template <class Term>
HWY_INLINE float sumOver(Index count, const Term& term) {
  const Floats d;
  Vector sum = hn::Zero(d);
  forVectors(
      0, count, [&](Index i, const auto& memory) HWY_ATTR { sum = hn::Add(sum, term(i, memory)); });
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

}  // namespace

void shiftOf(Index count, const TokenPair& x, const float* share, float* to) {
  forVectors(0, count, [&](Index i, const auto& memory) HWY_ATTR {
    const Vector before = memory.load(x.before + i);
    const Vector change = hn::Sub(memory.load(x.now + i), before);
    memory.store(hn::MulAdd(memory.load(share + i), change, before), to + i);
  });
}

/// to = sigmoid(gate) x
void gateOf(Index count, const float* gate, const float* x, float* to) {
  forVectors(0, count, [&](Index i, const auto& memory) HWY_ATTR {
    memory.store(hn::Mul(sigmoid(memory.load(gate + i)), memory.load(x + i)), to + i);
  });
}

/// x = max(x, 0)^2
void squareOf(Index count, float* x) {
  forVectors(0, count, [&](Index i, const auto& memory) HWY_ATTR {
    const Vector value = relu(memory.load(x + i));
    memory.store(hn::Mul(value, value), x + i);
  });
}

void normalizeOf(Index count, const LayerNormInputs& inputs, float epsilon, float* y) {
  const Floats d;
  const auto numbers = static_cast<float>(count);
  const float mean =
      sumOver(count,
              [&](Index i, const auto& memory) HWY_ATTR { return memory.load(inputs.x + i); }) /
      numbers;
  const Vector center = hn::Set(d, mean);
  forVectors(0, count, [&](Index i, const auto& memory) HWY_ATTR {
    memory.store(hn::Sub(memory.load(inputs.x + i), center), y + i);
  });
  const float variance = sumOver(count,
                                 [&](Index i, const auto& memory) HWY_ATTR {
                                   const Vector deviation = memory.load(y + i);
                                   return hn::Mul(deviation, deviation);
                                 }) /
                         numbers;
  const Vector scale = hn::Set(d, 1 / std::sqrt(variance + epsilon));
  forVectors(0, count, [&](Index i, const auto& memory) HWY_ATTR {
    const Vector normal = hn::Mul(memory.load(y + i), scale);
    memory.store(hn::MulAdd(normal, memory.load(inputs.weight + i), memory.load(inputs.bias + i)),
                 y + i);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#endif  // LAMBDA_TOKEN_ROWS_INL_H_
