#pragma once

#include <torch/nn/modules/conv.h>

#include "engine/layers/norm/fused_norm.h"

namespace lambda {

/// The convolution y [b, o, H', W'] of x [b, c, H, W], as `conv` computes it, by the kernel that
/// convolutionPath() names. On the CPU, those that are products of matrices (matrix_form.h) are
/// computed as such, where this is faster; at one position, oneDNN's convolutions reach a fifth of
/// their speed.
at::Tensor convolve(torch::nn::Conv2d& conv, const at::Tensor& x);

/// applyNorm(norm, convolve(conv, x), after). If no gradients are recorded and the norm has its
/// running statistics, the kernels apply the norm and what follows it to their sums, so that these
/// need no passes over memory.
at::Tensor convolveAndNormalize(torch::nn::Conv2d& conv,
                                torch::nn::BatchNorm2d& norm,
                                const at::Tensor& x,
                                const AfterNorm& after);

}  // namespace lambda
