#pragma once

#include <ATen/ATen.h>

#include "engine/kernels/products/column_epilogue.h"

namespace lambda {

/// Whether sameConvolution() supports the convolution of x with `weight` and is faster than
/// LibTorch's: 3x3 on the CPU, channels last, depths that are multiples of kConvolutionDepth, and
/// enough pixels; both tensors in float32 and outside autocast, or in bfloat16 where the CPU has
/// AMX.
bool sameConvolutionPays(const at::Tensor& x, const at::Tensor& weight);

/// y [b, o, H, W] from x [b, c, H, W] and weight [o, c, 3, 3], with stride 1 and "same" padding, a
/// border of one pixel of zeros: in float32 by Winograd's minimal filtering
/// (engine/kernels/convolution/winograd_kernel.h), in bfloat16 by the matrix unit of AMX
/// (engine/kernels/convolution/amx_convolution.h). Its gradients are computed in the same way.
/// Throws c10::Error in the backward pass if second derivatives are requested.
at::Tensor sameConvolution(const at::Tensor& x, const at::Tensor& weight);

/// Whether sameConvolution() can apply an epilogue: in float32.
bool hasConvolutionEpilogue(const at::Tensor& x);

/// The same with an epilogue and without gradients.
at::Tensor sameConvolution(const at::Tensor& x,
                           const at::Tensor& weight,
                           const ColumnEpilogue& epilogue);

}  // namespace lambda
