#pragma once

#include <ATen/ATen.h>

#include "engine/kernels/products/column_epilogue.h"

namespace lambda {

/// y [rows, o] = x W^T of dense pixels x [rows, c] and weights W [o, c] by matrixProduct(), as are
/// its gradients. Throws c10::Error in the backward pass if second derivatives are requested.
at::Tensor pointwiseProduct(const at::Tensor& pixels, const at::Tensor& weights);

/// The same with an epilogue and without gradients.
at::Tensor pointwiseProduct(const at::Tensor& pixels,
                            const at::Tensor& weights,
                            const ColumnEpilogue& epilogue);

}  // namespace lambda
