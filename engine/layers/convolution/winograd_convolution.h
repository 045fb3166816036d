#pragma once

#include <ATen/ATen.h>

namespace lambda {

/// Whether winogradConvolution() takes a convolution of x by `weight` and is faster there than
/// LibTorch's: 3x3 in float32 on the CPU, channels last and outside autocast, depths that are whole
/// vectors, and enough pixels.
bool winogradPays(const at::Tensor& x, const at::Tensor& weight);

/// y [b, o, H, W] from x [b, c, H, W] and weight [o, c, 3, 3], with stride 1 and a border of one
/// pixel of zeros, by Winograd's minimal filtering: see engine/kernels/convolution/winograd_kernel.h. So are
/// the gradients of both.
at::Tensor winogradConvolution(const at::Tensor& x, const at::Tensor& weight);

}  // namespace lambda
