#pragma once

#include <ATen/ATen.h>

namespace lambda {

/// Whether the values are float32 or bfloat16 and fill memory without gaps, as kernels need it.
inline bool isDense(const at::Tensor& tensor) {
  return (tensor.scalar_type() == at::kFloat || tensor.scalar_type() == at::kBFloat16) &&
         tensor.is_non_overlapping_and_dense();
}

inline bool isDenseFloat(const at::Tensor& tensor) {
  return tensor.scalar_type() == at::kFloat && isDense(tensor);
}

/// Whether the values of two dense tensors lie in memory in the same order.
inline bool haveSameStrides(const at::Tensor& a, const at::Tensor& b) {
  if (a.sizes() != b.sizes()) return false;
  for (std::int64_t i = 0; i < a.dim(); ++i) {
    if (a.size(i) > 1 && a.stride(i) != b.stride(i)) return false;
  }
  return true;
}

/// Whether one index addresses the same value of `tensor` and of the dense `weights`: `tensor` is
/// dense, on the same device and in the same order. True for an undefined tensor, which kernels
/// skip.
inline bool matchesLayout(const at::Tensor& tensor, const at::Tensor& weights) {
  return !tensor.defined() || (isDense(tensor) && tensor.device() == weights.device() &&
                               haveSameStrides(tensor, weights));
}

}  // namespace lambda
