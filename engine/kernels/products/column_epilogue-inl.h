// The epilogue of a product on vectors of columns. Included once for each instruction set.

#if defined(LAMBDA_COLUMN_EPILOGUE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LAMBDA_COLUMN_EPILOGUE_INL_H_
#undef LAMBDA_COLUMN_EPILOGUE_INL_H_
#else
#define LAMBDA_COLUMN_EPILOGUE_INL_H_
#endif

#include "engine/kernels/products/column_epilogue.h"
#include "engine/kernels/vectors-inl.h"

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {
namespace {

/// The epilogue of one vector of columns for any number of rows.
struct ColumnsEpilogue {
  ColumnsEpilogue() = default;

  ColumnsEpilogue(const ColumnEpilogue& epilogue, Index column)
      : scale(epilogue.scale ? hn::LoadU(Floats(), epilogue.scale + column)
                             : hn::Set(Floats(), 1.0F)),
        shift(epilogue.shift ? hn::LoadU(Floats(), epilogue.shift + column) : hn::Zero(Floats())),
        residual(epilogue.residual),
        hasRelu(epilogue.hasRelu) {}

  /// Writes the result at `at` of y from its sums.
  HWY_INLINE void write(Vector sums, Index at, float* y) const {
    Vector value = hn::MulAdd(sums, scale, shift);
    if (residual != nullptr) value = hn::Add(value, hn::LoadU(Floats(), residual + at));
    if (hasRelu) value = relu(value);
    hn::StoreU(value, Floats(), y + at);
  }

  Vector scale, shift;
  const float* residual;
  bool hasRelu;
};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#endif  // LAMBDA_COLUMN_EPILOGUE_INL_H_
