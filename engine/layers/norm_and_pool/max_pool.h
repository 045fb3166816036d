#pragma once

#include <ATen/ATen.h>

namespace lambda {

struct MaxPoolOptions {
  std::int64_t side = 2;  ///< Side of the square window, in pixels.
  std::int64_t stride = 2;
  std::int64_t padding = 0;
  bool ceilMode = false;  ///< Includes windows that reach beyond the map.
};

/// Max pooling of a map [b, c, H, W]. The kernel of engine/kernels/pooling/max_pool_kernel.h is
/// used for float32 or bfloat16 on the CPU, channels last; otherwise at::max_pool2d, with the same
/// values and gradients. Throws c10::Error in the backward pass of the kernel if second derivatives
/// are requested.
at::Tensor maxPool(const at::Tensor& x, const MaxPoolOptions& options);

}  // namespace lambda
