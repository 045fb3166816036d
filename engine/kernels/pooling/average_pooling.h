#pragma once

#include <cstdint>

#include "engine/kernels/element.h"
#include "engine/kernels/parallel_for.h"

namespace lambda {

/// Maps [images, height, width, channels], dense, whose means over 3x3 pixels with stride 2 are
/// taken. A border of one pixel of zeros counts, so that every mean is over nine values.
struct AveragePoolingShape {
  std::int64_t pooledHeight() const { return (height + 1) / 2; }

  std::int64_t pooledWidth() const { return (width + 1) / 2; }

  std::int64_t images = 0;
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::int64_t channels = 0;
  Element element = Element::float32;
};

/// Writes the means y [images, pooledHeight, pooledWidth, channels] of x.
void averagePoolingForward(const AveragePoolingShape& shape,
                           const void* x,
                           void* y,
                           const ParallelFor& parallelFor);

/// Writes the gradient of x from that of the means.
void averagePoolingBackward(const AveragePoolingShape& shape,
                            const void* dy,
                            void* dx,
                            const ParallelFor& parallelFor);

}  // namespace lambda
