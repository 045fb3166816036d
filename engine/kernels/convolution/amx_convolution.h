#pragma once

#include "engine/kernels/convolution/convolution_shape.h"
#include "engine/kernels/element.h"
#include "engine/kernels/parallel_for.h"

namespace lambda {

// Convolutions in bfloat16 with sums in float32 by the matrix unit of AMX, as nine products of
// matrices, one for each tap of the kernel. Only for CPUs with PairUnit::matrices
// (bfloat16_products.h). Depths are multiples of kConvolutionDepth. The same inputs give the same
// bits with any number of threads. An infinity or NaN of x reaches only the outputs that see it.

/// Writes y [images, height, width, outputDepth] from x [images, height, width, inputDepth] and the
/// filters [outputDepth, 3, 3, inputDepth].
void convolveByAmx(const ConvolutionShape& shape,
                   const Bfloat16* x,
                   const Bfloat16* filters,
                   Bfloat16* y,
                   const ParallelFor& parallelFor);

/// Writes the gradient of x from dy, which has y's shape.
void amxInputGradient(const ConvolutionShape& shape,
                      const Bfloat16* dy,
                      const Bfloat16* filters,
                      Bfloat16* dx,
                      const ParallelFor& parallelFor);

/// Writes the gradient of the filters, in their layout, from x and dy.
void amxFilterGradient(const ConvolutionShape& shape,
                       const Bfloat16* x,
                       const Bfloat16* dy,
                       Bfloat16* filterGradient,
                       const ParallelFor& parallelFor);

}  // namespace lambda
