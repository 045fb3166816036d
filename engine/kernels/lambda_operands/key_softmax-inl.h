// The softmax of the keys. Included once for each instruction set.

#if defined(LAMBDA_KEY_SOFTMAX_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LAMBDA_KEY_SOFTMAX_INL_H_
#undef LAMBDA_KEY_SOFTMAX_INL_H_
#else
#define LAMBDA_KEY_SOFTMAX_INL_H_
#endif

#include <hwy/contrib/math/math-inl.h>

#include "engine/kernels/lambda_operands/operand_columns-inl.h"

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {
namespace {

/// Writes the softmax of each column of a section over the pixels of an image. As in softmax() of
/// LibTorch, the greatest value is subtracted first.
void softmaxOfImage(
    const float* z, Index positions, Index stride, const Section& section, float* to) {
  const Floats d;
  const Index rowSize = section.columns;
  forVectors<1>(section, [&](Index column, auto, auto part) {
    const float* from = z + section.first + column;
    Vector greatest = hn::LoadU(d, from);
    for (Index m = 1; m < positions; ++m)
      greatest = hn::Max(greatest, hn::LoadU(d, from + m * stride));
    Vector sum = hn::Zero(d);
    float* row = to + column;
    for (Index m = 0; m < positions; ++m, row += rowSize) {
      const Vector power = hn::Exp(d, hn::Sub(hn::LoadU(d, from + m * stride), greatest));
      sum = hn::Add(sum, power);
      part.store(power, row);
    }
    const Vector share = hn::Div(hn::Set(d, 1), sum);
    row = to + column;
    for (Index m = 0; m < positions; ++m, row += rowSize)
      part.store(hn::Mul(part.load(row), share), row);
  });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#endif  // LAMBDA_KEY_SOFTMAX_INL_H_
