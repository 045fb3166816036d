#pragma once

#include "engine/kernels/convolution/convolution_shape.h"
#include "engine/kernels/parallel_for.h"
#include "engine/kernels/products/column_epilogue.h"

namespace lambda {

// Winograd's minimal filtering (Lavin and Gray, 2016: "Fast algorithms for convolutional neural
// networks", section 4): outputs by tiles of 4x4 from 6x6 inputs, Y = A^T ((G g G^T) (B^T d B)) A
// with the points 0, 1, -1, 2, -2 and infinity. That takes 36 multiplications a tile and pair of
// channels, where the plain sum takes 144; over all channels they are 36 products of matrices.
// Rounding errors are a few times those of the plain sum. The same inputs give the same bits with
// any number of threads.

/// Writes y [images, height, width, outputDepth] from x [images, height, width, inputDepth] and the
/// filters [3, 3, inputDepth, outputDepth], with the epilogue of its sums.
void convolveByWinograd(const ConvolutionShape& shape,
                        const float* x,
                        const float* filters,
                        const ColumnEpilogue& epilogue,
                        float* y,
                        const ParallelFor& parallelFor);

/// Writes the gradient [3, 3, inputDepth, outputDepth] of the filters from x and dy, which has y's
/// shape.
void winogradFilterGradient(const ConvolutionShape& shape,
                            const float* x,
                            const float* dy,
                            float* filterGradient,
                            const ParallelFor& parallelFor);

}  // namespace lambda
