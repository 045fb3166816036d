#pragma once

#include <ATen/ATen.h>

namespace lambda::test {

inline constexpr at::MemoryFormat kChannelsLast = at::MemoryFormat::ChannelsLast;

/// A map [b, c, H, W] from N(0, 1), channels last.
inline at::Tensor mapOf(at::IntArrayRef sizes) {
  return at::randn(sizes).contiguous(kChannelsLast);
}

/// The 2-norm of the difference from what is expected, as a share of the expected norm.
inline double distance(const at::Tensor& found, const at::Tensor& expected) {
  const at::Tensor exact = expected.to(at::kDouble);
  return ((found.to(at::kDouble) - exact).norm() / exact.norm()).item<double>();
}

}  // namespace lambda::test
