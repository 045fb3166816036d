#pragma once

#include <torch/nn/modules/conv.h>

namespace lambda {

/// The convolution y [b, o, H', W'] of x [b, c, H, W], as `conv` computes it. On the CPU, kernels
/// of which only one tap lies on the map are computed as products of matrices if the output has few
/// positions; at one position, oneDNN's convolutions reach a fifth of their speed. Such are the 1x1
/// kernel, and a larger one whose taps except the centre all lie in the padding. 3x3 kernels on
/// larger maps use Winograd's minimal filtering where that is faster.
at::Tensor convolve(torch::nn::Conv2d& conv, const at::Tensor& x);

}  // namespace lambda
