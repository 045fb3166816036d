#pragma once

#include <cstdint>

namespace lambda {

/// A convolution with a 3x3 kernel, stride 1 and a border of one pixel of zeros, and the sizes of
/// its channels-last maps.
struct ConvolutionShape {
  std::int64_t images = 0;
  std::int64_t height = 0;  ///< Input and output, in pixels.
  std::int64_t width = 0;
  std::int64_t inputDepth = 0;
  std::int64_t outputDepth = 0;
};

/// Kernels of convolutions need input and output depths that are multiples of this number.
inline constexpr std::int64_t kConvolutionDepth = 16;

}  // namespace lambda
