#pragma once

#include <cstdint>

#include "engine/kernels/element.h"
#include "engine/kernels/parallel_for.h"
#include "engine/kernels/pooling/pooling_windows.h"

namespace lambda {

/// Maps [images, height, width, channels], dense, whose means are taken, see pooling_windows.h.
struct AveragePoolingShape {
  std::int64_t pooledHeight() const { return pooledSide(height); }

  std::int64_t pooledWidth() const { return pooledSide(width); }

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
