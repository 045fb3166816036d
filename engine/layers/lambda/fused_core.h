#pragma once

#include "engine/kernels/lambda_core/core_shape.h"
#include "engine/layers/lambda/lambda_core.h"
#include "engine/layers/lambda/position_embedding.h"

namespace lambda {

/// Whether a fused kernel can compute this core: float32 or bfloat16 on the CPU; the queries of
/// either on a GPU where the CUDA kernels can be used, keys and values then of any type.
bool canFuse(const LambdaOperands& operands);

/// The core y [b, n, h, v] of content and position lambdas in one pass, with its gradients; see
/// engine/kernels/lambda_core/lambda_core_kernel.h and cuda/cuda_kernels.h. `table` is R [rows, u, k],
/// `tableRows` the row of each pair [n, m] as int32, another for each m, -1 outside the window;
/// both undefined without position lambdas. `index` is pairIndexOf() of them, which the CPU does
/// not need. `order` is for the CPU; a GPU's kernels have one. Computed in float32 on the CPU, on a
/// GPU in the queries' type with sums in float32; the result is of the queries' type. Gradients of
/// the gradients are not to be had.
at::Tensor applyFusedCore(const LambdaOperands& operands,
                          const at::Tensor& table,
                          const at::Tensor& tableRows,
                          const PairIndex& index = {},
                          CoreOrder order = CoreOrder::automatic);

}  // namespace lambda
