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

/// Rows of pixels [b, H W, ...], which are dense and not empty, as the map [b, c, H, W]. Changes
/// the strides of the tensor itself, so that autograd sees no view.
inline at::Tensor pixelsAsMap(at::Tensor pixels, std::int64_t height, std::int64_t width) {
  const std::int64_t count = height * width, images = pixels.size(0);
  const std::int64_t channels = pixels.numel() / (images * count);
  return pixels.as_strided_({images, channels, height, width},
                            {count * channels, 1, width * channels, channels});
}

}  // namespace lambda
