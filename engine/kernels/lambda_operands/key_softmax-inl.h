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
  for (Index column = 0; column < section.columns; column += lanes()) {
    const float* from = z + section.first + column;
    Vector greatest = hn::LoadU(d, from);
    for (Index m = 1; m < positions; ++m)
      greatest = hn::Max(greatest, hn::LoadU(d, from + m * stride));
    Vector sum = hn::Zero(d);
    for (Index m = 0; m < positions; ++m) {
      const Vector power = hn::Exp(d, hn::Sub(hn::LoadU(d, from + m * stride), greatest));
      sum = hn::Add(sum, power);
      storeColumns(power, section, column, to + m * section.columns);
    }
    const Vector share = hn::Div(hn::Set(d, 1), sum);
    for (Index m = 0; m < positions; ++m) {
      float* row = to + m * section.columns;
      storeColumns(hn::Mul(loadColumns(row, section, column), share), section, column, row);
    }
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#endif  // LAMBDA_KEY_SOFTMAX_INL_H_
