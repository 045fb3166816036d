#pragma once

#include <ATen/ATen.h>

#include "engine/kernels/products/column_epilogue.h"

namespace lambda {

/// y [b, o, H, W] from x [b, c, H, W] and weight [o, c, 3, 3], with stride 1 and "same" padding, a
/// border of one pixel of zeros: in float32 by Winograd's minimal filtering
/// (engine/kernels/convolution/winograd_kernel.h), in bfloat16 by the matrix unit of AMX
/// (engine/kernels/convolution/amx_convolution.h). Its gradients are computed in the same way. Only
/// where convolutionPath() names one of the two.
/// Throws c10::Error in the backward pass if second derivatives are requested.
at::Tensor sameConvolution(const at::Tensor& x, const at::Tensor& weight);

/// The same in float32, with an epilogue and without gradients.
at::Tensor sameConvolution(const at::Tensor& x,
                           const at::Tensor& weight,
                           const ColumnEpilogue& epilogue);

}  // namespace lambda
