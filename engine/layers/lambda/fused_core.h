#pragma once

// The lambda core as an operation of LibTorch's autograd, by the fused kernels of the CPU or of
// CUDA. What the core computes and how the kernels work is on the page at the top of
// engine/kernels/lambda_core/lambda_core_kernel.h. lambda_core.h has the same core in plain ATen,
// as the reference and for tensors that no kernel supports.

#include "engine/kernels/lambda_core/core_shape.h"
#include "engine/layers/lambda/lambda_core.h"
#include "engine/layers/lambda/position_embedding.h"

namespace lambda {

/// Whether a fused kernel can compute this core. On the CPU, queries, keys and values must be
/// float32 or bfloat16. On a GPU where the CUDA kernels can be used, the queries must be, with k up
/// to 64; keys and values may have any type.
bool canFuse(const LambdaOperands& operands);

/// The core y [b, n, h, v] of content and position lambdas in one pass, differentiable once.
/// `table` is R [rows, u, k]; `tableRows` [n, m], int32, is its row for each pair, different for
/// each m of a query, negative outside the window as in CoreInputs. Both are undefined without
/// position lambdas. `index` is pairIndexOf() of them; the CPU does not need it. `order` applies to
/// the CPU only. The CPU computes in float32, a GPU in the queries' type with sums in float32; the
/// result has the queries' type. Throws c10::Error if a CUDA kernel can't be started, and in the
/// backward pass if second derivatives are requested.
at::Tensor applyFusedCore(const LambdaOperands& operands,
                          const at::Tensor& table,
                          const at::Tensor& tableRows,
                          const PairIndex& index = {},
                          CoreOrder order = CoreOrder::automatic);

}  // namespace lambda
