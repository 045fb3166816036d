#pragma once

#include <ATen/ATen.h>

#include "engine/kernels/products/column_epilogue.h"

namespace lambda {

/// Whether winogradConvolution() supports the convolution of x with `weight` and is faster than
/// LibTorch's: 3x3 in float32 on the CPU, channels last and outside autocast, depths that are
/// multiples of kWinogradDepth, and enough pixels.
bool winogradPays(const at::Tensor& x, const at::Tensor& weight);

/// y [b, o, H, W] from x [b, c, H, W] and weight [o, c, 3, 3], with stride 1 and a border of one
/// pixel of zeros, by Winograd's minimal filtering: see
/// engine/kernels/convolution/winograd_kernel.h. Its gradients are computed in the same way. Throws
/// c10::Error in the backward pass if second derivatives are requested.
at::Tensor winogradConvolution(const at::Tensor& x, const at::Tensor& weight);

/// The same with an epilogue and without gradients.
at::Tensor winogradConvolution(const at::Tensor& x,
                               const at::Tensor& weight,
                               const ColumnEpilogue& epilogue);

}  // namespace lambda
