#pragma once

#include <cstdint>

#include "engine/kernels/element.h"
#include "engine/kernels/parallel_for.h"

namespace lambda {

/// A max pool over channels-last maps, and the maps' sizes. Windows may reach beyond the map; at
/// least one of their pixels lies on it.
struct MaxPoolShape {
  std::int64_t images = 0;
  std::int64_t channels = 0;
  std::int64_t height = 0;  ///< Of the input, in pixels.
  std::int64_t width = 0;
  std::int64_t outputHeight = 0;
  std::int64_t outputWidth = 0;
  std::int64_t side = 2;  ///< Of the square window, in pixels, at most 16.
  std::int64_t stride = 2;
  std::int64_t padding = 0;
  Element element = Element::float32;
};

/// The largest window whose positions are told by a byte.
inline constexpr std::int64_t kLargestPoolSide = 16;

// What of a window is taken is what torch takes: the first of equal values by rows, and the last
// NaN where there is one. The same bits with any number of threads.

/// y [images, outputHeight, outputWidth, channels] from x [images, height, width, channels], and in
/// `taken`, of y's shape, from which position of its window each value comes, counted by rows.
void maxPoolForward(const MaxPoolShape& shape,
                    const void* x,
                    void* y,
                    std::uint8_t* taken,
                    const ParallelFor& parallelFor);

/// The gradient dx of the input from dy.
void maxPoolBackward(const MaxPoolShape& shape,
                     const void* dy,
                     const std::uint8_t* taken,
                     void* dx,
                     const ParallelFor& parallelFor);

}  // namespace lambda
