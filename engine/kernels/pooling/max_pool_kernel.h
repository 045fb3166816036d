#pragma once

#include <cstdint>

#include "engine/kernels/element.h"
#include "engine/kernels/parallel_for.h"

namespace lambda {

/// A max pool over channels-last maps and the sizes of the maps. Windows may reach beyond the map,
/// but at least one of their pixels must lie on it.
struct MaxPoolShape {
  std::int64_t images = 0;
  std::int64_t channels = 0;
  std::int64_t height = 0;  ///< Of the input, in pixels.
  std::int64_t width = 0;
  std::int64_t outputHeight = 0;
  std::int64_t outputWidth = 0;
  std::int64_t side = 2;  ///< Side of the square window, in pixels, at most kLargestPoolSide.
  std::int64_t stride = 2;
  std::int64_t padding = 0;
  Element element = Element::float32;
};

/// Side of the largest window whose positions fit a byte.
inline constexpr std::int64_t kLargestPoolSide = 16;

// A window takes the value that torch takes: among equal values the first by rows, and the last NaN
// if there is one. The same inputs give the same bits with any number of threads.

/// Writes y [images, outputHeight, outputWidth, channels] from x [images, height, width, channels],
/// and to `taken`, of y's shape, the position in its window that each value comes from, counted by
/// rows.
void maxPoolForward(const MaxPoolShape& shape,
                    const void* x,
                    void* y,
                    std::uint8_t* taken,
                    const ParallelFor& parallelFor);

/// Writes the gradient dx of the input, of x's shape, from dy and `taken`.
void maxPoolBackward(const MaxPoolShape& shape,
                     const void* dy,
                     const std::uint8_t* taken,
                     void* dx,
                     const ParallelFor& parallelFor);

}  // namespace lambda
