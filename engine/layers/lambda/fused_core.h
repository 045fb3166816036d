#pragma once

// The lambda core as an operation of LibTorch's autograd, by the fused kernels of the CPU or of
// CUDA. What the core computes and how the kernels work is on the page at the top of
// engine/kernels/lambda_core/lambda_core_kernel.h. lambda_core.h has the same core in plain ATen,
// as the reference and for tensors that no kernel supports.

#include "engine/kernels/lambda_core/core_shape.h"
#include "engine/layers/lambda/lambda_core.h"
#include "engine/layers/lambda/position_embedding.h"

namespace lambda {

/// The core y [b, n, h, v] of content and position lambdas in one pass, differentiable once.
/// `table` is R [rows, u, k], undefined without position lambdas, and `rows` says which of its rows
/// belongs to a pair: a different one for each m of a query. Only for operands in float32 or
/// bfloat16; on a GPU the queries are, and fit the CUDA kernels (lambdaPath()). On a GPU, an empty
/// index is made from them, which takes longer than the core. `order` applies to the CPU only. The
/// CPU computes in float32, a GPU in the queries' type with sums in float32; the result has the
/// queries' type. Throws c10::Error if a CUDA kernel can't be started, and in the backward pass if
/// second derivatives are requested.
at::Tensor applyFusedCore(const LambdaOperands& operands,
                          const at::Tensor& table,
                          const TableRows& rows = {},
                          CoreOrder order = CoreOrder::automatic);

}  // namespace lambda
