#pragma once

#include <torch/nn/modules/conv.h>

namespace lambda {

/// The convolution y [b, o, H', W'] of x [b, c, H, W], as `conv` computes it. On the CPU, kernels
/// that meet each position alone, on maps of a few positions, are products of matrices: those of
/// oneDNN's convolutions reach a fifth of their speed at one position. That is the 1x1 kernel, and
/// the centre of a larger one whose other taps all lie in the padding. 3x3 kernels on larger maps
/// go by Winograd's minimal filtering where that pays.
at::Tensor convolve(torch::nn::Conv2d& conv, const at::Tensor& x);

}  // namespace lambda
