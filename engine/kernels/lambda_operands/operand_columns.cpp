#include <algorithm>

#include "engine/kernels/lambda_operands/lambda_operands_kernel.h"

namespace lambda {

ColumnScales::ColumnScales(const OperandsShape& shape, const OperandNorms& norms)
    : mean(columnsOf(shape)), scale(columnsOf(shape), 1), shift(columnsOf(shape)) {
  const auto take = [&](const OperandNorm& norm, std::int64_t first, std::int64_t columns) {
    if (!norm.moments.mean) return;
    for (std::int64_t c = 0; c < columns; ++c) {
      const double factor =
          norm.moments.inverseDeviation[c] * static_cast<double>(norm.affine.weight[c]);
      mean[first + c] = static_cast<float>(norm.moments.mean[c]);
      const double lacking = norm.moments.mean[c] - static_cast<double>(mean[first + c]);
      scale[first + c] = static_cast<float>(factor);
      shift[first + c] =
          static_cast<float>(static_cast<double>(norm.affine.bias[c]) - lacking * factor);
    }
  };
  take(norms.queries, 0, shape.queryColumns);
  take(norms.values, paddedColumns(shape.queryColumns), shape.valueColumns);
}

OperandSums::OperandSums(const OperandsShape& shape)
    : gradients(allocateAligned<double>(shape.images * columnsOf(shape))),
      products(allocateAligned<double>(shape.images * columnsOf(shape))) {}

}  // namespace lambda
