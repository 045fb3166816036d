#pragma once

#include <ATen/ATen.h>

#include "engine/kernels/products/column_epilogue.h"

namespace lambda {

/// Whether the kernels of engine/kernels/products/matrix_products.h support the product of
/// `rows` pixels of a map x [b, c, H, W] with a weight [o, c, ...], and are faster than LibTorch's:
/// enough pixels in float32 on the CPU, channels last and outside autocast, depths that are
/// multiples of kProductColumns, and a CPU on which they pay.
bool pointwiseProductPays(const at::Tensor& x, std::int64_t rows, const at::Tensor& weight);

/// y [rows, o] = x W^T of dense pixels x [rows, c] and weights W [o, c] by matrixProduct(), as are
/// its gradients. Throws c10::Error in the backward pass if second derivatives are requested.
at::Tensor pointwiseProduct(const at::Tensor& pixels, const at::Tensor& weights);

/// The same with an epilogue and without gradients.
at::Tensor pointwiseProduct(const at::Tensor& pixels,
                            const at::Tensor& weights,
                            const ColumnEpilogue& epilogue);

}  // namespace lambda
