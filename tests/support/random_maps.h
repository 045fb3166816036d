#pragma once

#include <ATen/ATen.h>

namespace lambda::test {

inline constexpr at::MemoryFormat kChannelsLast = at::MemoryFormat::ChannelsLast;

/// A map [b, c, H, W] from N(0, 1), channels last.
inline at::Tensor mapOf(at::IntArrayRef sizes) {
  return at::randn(sizes).contiguous(kChannelsLast);
}

}  // namespace lambda::test
