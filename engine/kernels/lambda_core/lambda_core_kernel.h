#pragma once

#include <cstdint>

#include "engine/kernels/lambda_core/core_shape.h"
#include "engine/kernels/parallel_for.h"

namespace lambda {

/// What enters the core, all contiguous float32.
struct CoreInputs {
  const float* queries = nullptr;  ///< q [b, n, h, k]
  const float* keys = nullptr;     ///< kbar [b, m u, k], after the softmax.
  const float* values = nullptr;   ///< v [b, m u, v]
  const float* table = nullptr;    ///< R [rows, u, k]
  /// [n, m]: the row of e_nm, another for each m; -1 = outside the window.
  const std::int32_t* tableRowOf = nullptr;
};

/// Where the gradients of the inputs go; written, not added to. Null where the input is.
struct CoreGradients {
  float* queries = nullptr;
  float* keys = nullptr;
  float* values = nullptr;
  float* table = nullptr;
};

// The core y_n = sum_m (q_n . (kbar_m + e_nm)) v_m of LambdaNetworks (Bello, ICLR 2021, equations 1
// and 2). Scores q_n . e_nm of a few queries and a panel of the context at a time stand in the
// caches, or the lambda of one query; neither is written to memory. Content is the lambda kbar^T v
// of an image, met by its queries, or on small maps one more addend of the scores. Embeddings are
// read from their table. Vectors are the widest that the CPU has, found at run time. The same
// inputs give the same bits with any number of threads: images are worked on in groups that depend
// on the shape alone, and the groups' shares of the table's gradient are added in their order.

/// y [b, n, h, v].
void lambdaCoreForward(const CoreShape& shape,
                       const CoreInputs& inputs,
                       float* y,
                       const ParallelFor& parallelFor);

/// The gradients from dy [b, n, h, v]; scores are computed again.
void lambdaCoreBackward(const CoreShape& shape,
                        const CoreInputs& inputs,
                        const float* dy,
                        const CoreGradients& gradients,
                        const ParallelFor& parallelFor);

}  // namespace lambda
