#pragma once

#include <ATen/ATen.h>

#include "engine/kernels/products/column_epilogue.h"

namespace lambda {

/// A B of matrices A [m, k] and B [k, n], dense or transposed from dense ones, without gradients:
/// by the kernels of engine/kernels/products where they support the product and are faster,
/// otherwise by LibTorch.
at::Tensor matrixProduct(const at::Tensor& a, const at::Tensor& b);

/// The same by the kernels, with their epilogue. A must be dense; both must be float32 on the CPU,
/// and k and n multiples of kProductColumns.
at::Tensor matrixProduct(const at::Tensor& a, const at::Tensor& b, const ColumnEpilogue& epilogue);

}  // namespace lambda
