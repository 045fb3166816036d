#pragma once

#include <ATen/ATen.h>

namespace lambda {

struct MaxPoolOptions {
  std::int64_t side = 2;  ///< Of the square window, in pixels.
  std::int64_t stride = 2;
  std::int64_t padding = 0;
  bool ceilMode = false;  ///< Windows that reach beyond the map count too.
};

/// Max pooling of a map [b, c, H, W]. By the kernel where it fits: float32 or bfloat16 on the CPU,
/// channels last; see engine/kernels/pooling/max_pool_kernel.h. Elsewhere at::max_pool2d, with the same
/// values and gradients. Gradients of the kernel's gradients are not to be had.
at::Tensor maxPool(const at::Tensor& x, const MaxPoolOptions& options);

}  // namespace lambda
