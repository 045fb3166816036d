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
// CPU. A thread works on as many images at a time as have operands that fit the second-level cache,
// but on a few at least. It can make their queries and values just before they are read
// (MakeOperands), in memory that it uses again for the next images. Queries are cut into blocks of
// about 16 to 64 rows (query, head), the context into panels of four vectors (64 rows with
// AVX-512). A tile is E_n^T [k, panel], the embeddings of one query and one panel. Tiles are read
// from the table itself where they are whole vectors of it; else they are copied from it, once for
// a block and all images that the thread holds. Where the tiles of all blocks are small, they are
// kept for the thread's next images. For each image and panel, the scores [rows, panel] are made in
// a buffer in the first-level cache, multiplied by the panel's values, and overwritten by the next
// panel. The heads of one query are few rows to multiply by a tile. So the block's queries are
// first copied where a product needs more rows, or k is not whole vectors: those of one query side
// by side for a few images, and a product takes these images together. Their score gradients lie in
// the same order, for the products that give dq and dR. A product keeps a part of its result in
// registers while it sums, for example 6 rows by 4 vectors with AVX-512. The vectors are those of
// Highway: the widest that the CPU has, chosen at run time. So q, dy, y and dq pass between memory
// and caches once, keys and values once for all blocks, and scores and lambdas are never written to
// memory. Where a mask leaves out positions, a block has no panels that none of its queries sees,
// and the embeddings of other pairs are 0.
//
// CPU WITH MEANS AS OUTPUTS (core_pooled_scores-inl.h), for a layer whose stride is an average
// pooling. The values do not depend on the query, so that the means may be taken of the scores:
// mean_n y_n = sum_m (mean_n s_nm)^T v_m, with a quarter of the multiply-adds; in the same way the
// means of the queries meet lambda_c. In the backward pass, the gradients of these means are spread
// over their queries. A block has all queries of the map, in strips of whole rows of the map.
//
// CPU UNDER A WINDOW (core_window-inl.h and its neighbours). An embedding belongs to an offset, so
// that all queries have the same embeddings. A block has neighbours in one row of the map, as
// many as fill vectors where the map is wide enough. Their scores for some rows of the window are
// one product [columns, k] x [k, (query, head)], with vectors along the queries: rows of a window
// seldom fill vectors. Then each query multiplies its scores by the values around it, in a copy
// with zeros beside the map. In the backward pass, each query adds to dv around it. The score
// gradients are products of vectors of queries with vectors of transposed values, which begin at
// the offset of the column; dq and dR then are one product each for the block. With AVX-512, if v
// is one vector and the heads are a multiple of four, y is computed for four queries at once, and
// dv row by row while dy stays in registers. A thread has one image at a time.
//
// CPU IN BFLOAT16 (bfloat16/, for AMD CPUs with AVX-512 BF16, and CPUs with AMX). The same blocks,
// panels and groups, but an instruction multiplies pairs of values of successive depths and adds
// both products to a sum in float32. So each operand has its pairs side by side: rows as they are
// where the depth is the last dimension, two rows interleaved where it is the first. Scores,
// lambda_c and the gradients of both are rounded to bfloat16 between two products. The output y and
// dy are in bfloat16. An instruction of AMX multiplies tiles of 16 rows, 16 pairs and 16 columns.
// To fill them, panels have up to 256 rows of the context, scores are made for the heads of several
// images, and left operands of products that sum over rows are transposed first.
//
// CUDA. A warp works on four images, four queries and four heads. The context comes in tiles of 16
// rows, and one product on tensor cores is [16, 16] x [16, 8]. For each of the four queries, the
// scores of 16 rows (image, head) are made in registers. The lanes of the warp exchange them, so
// that for each of the four images they become the left operand for 16 rows (query, head); its
// product with the image's values is added to y in registers, and y is stored once. In the forward
// pass, a block has up to four warps and 16 or 32 columns of v, and its warps first make lambda_c
// in shared memory. The backward pass is two kernels: one makes dq, dlambda_c, shares of dR and the
// position part of dv; the other adds up the shares and applies dlambda_c.
//
// ORDER OF SUMS. The same inputs give the same bits with any number of threads. On the CPU, every
// sum except dR belongs to one image and runs over blocks and panels in their order. Images form at
// most 16 groups, by the shape alone. Each group has its own dR, and these are added in the order
// of the groups. In CUDA the order follows from the sizes alone, and there are no atomics.
//
// PATHS. Queries in float32 or bfloat16 on a GPU, with k up to 64, go to the CUDA kernels where
// these can be used; they always contract the queries first. On the CPU, a core with an output in
// bfloat16 goes to the kernel for it, if that fits its shape, and else is computed in float32.
// There, a shape with a window has its own kernel, and so have outputs that are means, if
// poolsOutputs() allows it; else they are taken afterwards. In the other, lambdas come first
// (core_lambdas-inl.h) where every query sees every position and that takes fewer products of
// vectors, as where k <= h; otherwise queries (core_scores-inl.h). Then the keys enter the scores
// if k is whole vectors and the padded context is shorter than v; otherwise lambda_c is used. Where
// no kernel fits, the operations of engine/layers/lambda/lambda_core.h run. A layer takes the
// lambda convolution instead where its window leaves out nothing of a very large map
// (engine/values/architecture/position_path.h).

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
