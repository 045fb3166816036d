#pragma once

#include <ATen/ATen.h>

namespace lambda {

/// y [.., o] = x W^T + b of x [.., c], W [o, c] and b [o], which may be undefined. A single row in
/// float32 on the CPU without gradients, as a sequence that grows has for each token, is multiplied
/// by engine/kernels/products/row_product.h; everything else by LibTorch.
at::Tensor linearProduct(const at::Tensor& x,
                         const at::Tensor& weight,
                         const at::Tensor& bias = {});

}  // namespace lambda
