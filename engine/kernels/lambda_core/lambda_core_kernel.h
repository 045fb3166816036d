#pragma once

// The lambda core of LambdaNetworks (Bello, ICLR 2021, equations 1 and 2). This page explains what
// it computes and how the kernels do so, on the CPU (this folder) and in CUDA (../cuda/core).
//
// ALGEBRA, for one of b images. In the formulas, m counts all m u rows of the context, where u is
// the intra-depth.
//
//   q_n [h, k]   query n, a row for each of h heads      kbar_m [k]   key after the softmax
//   e_nm [k]     embedding of a pair: a row of the       v_m [v]      value
//                table R, which all images share, or     y_n [h, v]   output
//                0 outside the window of query n
//
//   lambda_n = sum_m (kbar_m + e_nm)^T v_m  [k, v]       y_n = q_n lambda_n
//
// No softmax stands between the two products, so the order may change: the queries are contracted
// first, which gives scores s, as in attention. The result is the same.
//
//   s_nm = q_n . (kbar_m + e_nm)  [h]                    y_n = sum_m s_nm^T v_m
//
// For each pair (n, m) that takes h (k + v) multiply-adds, where lambda_n takes k v. The content
// lambda lambda_c = sum_m kbar_m^T v_m [k, v] is the same for all queries, so the keys may leave
// the scores and enter as y_n += q_n lambda_c. The backward pass makes the scores again from the
// inputs:
//
//   ds_nm = dy_n . v_m  [h]                              dq_n = sum_m ds_nm^T (kbar_m + e_nm)
//   dv_m = sum_n,h s_nm dy_n                             de_nm = sum_h ds_nm q_n
//   dkbar_m = sum_n,h ds_nm q_n                          dR_r = sum of de_nm over all images and
//                                                               all pairs whose row is r
//   by lambda_c instead of the scores:                   dlambda_c = sum_n q_n^T dy_n
//   dq_n += dy_n lambda_c^T                              dkbar_m = v_m dlambda_c^T
//                                                        dv_m += kbar_m dlambda_c
//
// WHO HOLDS WHAT, ON THE CPU. A thread holds in its second-level cache the contexts of as many
// images as fit, but of a few at least, and the queries and values that it made just before
// (MakeOperands), in memory that it uses again. Queries are cut into blocks of about 16 to 64 rows
// (query, head), the context into panels of four vectors. A tile is E_n^T [k, panel], the
// embeddings of one query and one panel; it serves all images that the thread holds. The scores
// [rows, panel] of one image are in the first-level cache until they are multiplied by the panel's
// values. A product keeps a part of its result in registers while it sums. So q, dy, y and dq pass
// between memory and caches once, keys and values once for all blocks, and scores and lambdas are
// never written to memory.
//
// IN CUDA (../cuda/core). A warp has four images, four queries and four heads, and the sums of y in
// registers; the lanes exchange scores, so that they become the left operand of the next product on
// tensor cores. The warps of a block have lambda_c in shared memory.
//
// WHERE
//   reference.h                            the core by its definition
//   core_shape.h                           the sizes
//   core_loops.h                           which thread takes which images and blocks
//   core_layout-inl.h                      blocks, panels and groups, and which product comes first
//   core_blocks-inl.h, core_contexts-inl.h embeddings and contexts, as the products read them
//   core_scores-inl.h, core_score_gradients-inl.h      queries first
//   core_lambdas-inl.h                                 lambdas first
//   core_pooled_scores-inl.h                           queries first, with means as outputs
//   core_window*-inl.h                                 queries first, under a window
//   bfloat16/                                          queries first, in bfloat16
//   engine/layers/layer_path.h             which of them computes a layer
//   tests/bench/README.md                  what each brings, in time
//
// ORDER OF SUMS. The same inputs give the same bits with any number of threads. On the CPU, every
// sum except dR belongs to one image and runs over blocks and panels in their order. Images form at
// most 16 groups, by the shape alone. Each group has its own dR, and these are added in the order
// of the groups. In CUDA the order follows from the sizes alone, and there are no atomics.

#include <cstdint>
#include <functional>

#include "engine/kernels/lambda_core/core_shape.h"
#include "engine/kernels/parallel_for.h"

namespace lambda {

/// The operands of the core, all contiguous float32.
struct CoreInputs {
  /// q [b, n, h, k]; null where they are made image by image, see MakeOperands.
  const float* queries = nullptr;
  const float* keys = nullptr;    ///< kbar [b, m u, k], after the softmax.
  const float* values = nullptr;  ///< v [b, m u, v]; null where the queries are.
  const float* table = nullptr;   ///< R [rows, u, k]
  /// [n, m]: the table's row of e_nm, different for each m of a query, negative where the query
  /// does not see the position. Not read if the shape has a window.
  const std::int32_t* tableRowOf = nullptr;
};

/// Targets for the gradients, of the inputs' shapes. They are written, not added to. Null where the
/// input is null.
struct CoreGradients {
  float* queries = nullptr;
  float* keys = nullptr;
  float* values = nullptr;
  float* table = nullptr;
};

/// Writes the queries and values of images [first, first + count) to memory of the thread that
/// reads them next. Their keys are read afterwards, and may be written too.
using MakeOperands =
    std::function<void(std::int64_t first, std::int64_t count, float* queries, float* values)>;

/// Work on images [first, first + count) by the thread that has them in its caches. Each image is
/// in one call. Null = nothing to do.
using OnImages = std::function<void(std::int64_t first, std::int64_t count)>;

/// Writes the output y [b, n, h, v], or [b, outputs(), h, v] with a pooling. `make` is null where
/// the inputs have all operands.
void lambdaCoreForward(const CoreShape& shape,
                       const CoreInputs& inputs,
                       float* y,
                       const ParallelFor& parallelFor,
                       const MakeOperands& make = {});

/// Writes the gradients that follow from dy, which has the output's shape. Scores or lambdas are
/// computed again, and operands are made again. `finish` is called when the gradients of its
/// images' queries, keys and values are written.
void lambdaCoreBackward(const CoreShape& shape,
                        const CoreInputs& inputs,
                        const float* dy,
                        const CoreGradients& gradients,
                        const ParallelFor& parallelFor,
                        const MakeOperands& make = {},
                        const OnImages& finish = {});

}  // namespace lambda
