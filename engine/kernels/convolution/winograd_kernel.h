#pragma once

#include <cstdint>

#include "engine/kernels/parallel_for.h"
#include "engine/kernels/products/column_epilogue.h"

namespace lambda {

/// A convolution with a 3x3 kernel, stride 1 and a border of one pixel of zeros, and the sizes of
/// its channels-last maps.
struct WinogradShape {
  std::int64_t images = 0;
  std::int64_t height = 0;  ///< Input and output, in pixels.
  std::int64_t width = 0;
  std::int64_t inputDepth = 0;  ///< A multiple of kWinogradDepth, as outputDepth is.
  std::int64_t outputDepth = 0;
};

/// Input and output depth must be multiples of this number of channels.
inline constexpr std::int64_t kWinogradDepth = 16;

// Winograd's minimal filtering (Lavin and Gray, 2016: "Fast algorithms for convolutional neural
// networks", section 4): outputs by tiles of 4x4 from 6x6 inputs, Y = A^T ((G g G^T) (B^T d B)) A
// with the points 0, 1, -1, 2, -2 and infinity. That takes 36 multiplications a tile and pair of
// channels, where the plain sum takes 144; over all channels they are 36 products of matrices.
// Rounding errors are a few times those of the plain sum. The same inputs give the same bits with
// any number of threads.

/// Writes y [images, height, width, outputDepth] from x [images, height, width, inputDepth] and the
/// filters [3, 3, inputDepth, outputDepth], with the epilogue of its sums.
void convolveByWinograd(const WinogradShape& shape,
                        const float* x,
                        const float* filters,
                        const ColumnEpilogue& epilogue,
                        float* y,
                        const ParallelFor& parallelFor);

/// Writes the gradient [3, 3, inputDepth, outputDepth] of the filters from x and dy, which has y's
/// shape.
void winogradFilterGradient(const WinogradShape& shape,
                            const float* x,
                            const float* dy,
                            float* filterGradient,
                            const ParallelFor& parallelFor);

}  // namespace lambda
