#include <algorithm>

#include "engine/kernels/batch_norm/channel_moments.h"
#include "engine/kernels/lambda_operands/lambda_operands_kernel.h"

namespace lambda {

ColumnScales::ColumnScales(const OperandsShape& shape, const OperandNorms& norms)
    : mean(columnsOf(shape)), scale(columnsOf(shape), 1), shift(columnsOf(shape)) {
  const auto take = [&](const OperandNorm& norm, std::int64_t first, std::int64_t columns) {
    if (!norm.moments.mean) return;
    for (std::int64_t c = 0; c < columns; ++c) {
      const ChannelScale column(norm.moments.mean[c],
                                norm.moments.inverseDeviation[c],
                                norm.affine.weight[c],
                                norm.affine.bias[c]);
      mean[first + c] = column.mean, scale[first + c] = column.scale;
      shift[first + c] = column.shift;
    }
  };
  take(norms.queries, 0, shape.queryColumns);
  take(norms.values, paddedColumns(shape.queryColumns), shape.valueColumns);
}

OperandSums::OperandSums(const OperandsShape& shape)
    : gradients(allocateAligned<double>(shape.images * columnsOf(shape))),
      products(allocateAligned<double>(shape.images * columnsOf(shape))) {}

}  // namespace lambda
