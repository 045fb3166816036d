#pragma once

#include "engine/kernels/element.h"
#include "engine/kernels/lambda_core/lambda_core_kernel.h"
#include "engine/kernels/products/bfloat16_products.h"

namespace lambda {

// The lambda core with outputs in bfloat16, by products of pairs in bfloat16 with sums in float32.
// A dot product of AVX-512 BF16 has twice as many multiply-adds as an instruction of float32, and
// the matrix unit of AMX many times as many. See the page in ../lambda_core_kernel.h.

/// Whether the functions below support the shape: queries first without a window, k and v in whole
/// vectors of 16, an even number of heads, and a context of more than 16 rows. A shorter one would
/// mostly be padding.
bool fitsBfloat16Core(const CoreShape& shape, const std::int32_t* tableRowOf);

/// As lambdaCoreForward(), with a unit that the CPU has (hasPairUnit()). Queries, keys, values,
/// table, content lambda and scores are rounded to bfloat16.
void bfloat16CoreForward(PairUnit unit,
                         const CoreShape& shape,
                         const CoreInputs& inputs,
                         Bfloat16* y,
                         const ParallelFor& parallelFor,
                         const MakeOperands& make = {});

/// As lambdaCoreBackward(). The gradients of the scores and of the content lambda are rounded to
/// bfloat16 too.
void bfloat16CoreBackward(PairUnit unit,
                          const CoreShape& shape,
                          const CoreInputs& inputs,
                          const Bfloat16* dy,
                          const CoreGradients& gradients,
                          const ParallelFor& parallelFor,
                          const MakeOperands& make = {},
                          const OnImages& finish = {});

}  // namespace lambda
