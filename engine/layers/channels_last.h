#pragma once

#include <ATen/ATen.h>

#include "engine/layers/element_of.h"

namespace lambda {

/// Whether kernels can read the map [b, c, H, W] as rows of pixels: float32 or bfloat16 on the CPU,
/// dense, channels last.
inline bool isPixelRows(const at::Tensor& map) {
  return map.is_cpu() && map.dim() == 4 && map.numel() > 0 &&
         (map.scalar_type() == at::kFloat || map.scalar_type() == at::kBFloat16) &&
         map.is_contiguous(at::MemoryFormat::ChannelsLast);
}

inline at::Tensor emptyChannelsLast(at::IntArrayRef sizes, const at::TensorOptions& options) {
  return at::empty(sizes, options.memory_format(at::MemoryFormat::ChannelsLast));
}

}  // namespace lambda
