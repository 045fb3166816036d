#pragma once

#include "engine/layers/lambda_core.h"

namespace lambda {

/// Whether the fused kernel can compute this core: float32 or bfloat16 on the CPU.
bool canFuse(const LambdaOperands& operands);

/// The core y [b, n, h, v] of content and position lambdas in one pass, with its gradients; see
/// engine/kernels/lambda_core_kernel.h. `table` is R [rows, u, k], `tableRows` the row of each pair
/// [n, m] as int32, -1 outside the window; both undefined without position lambdas. Computed in
/// float32; the result is of the queries' type. Gradients of the gradients are not to be had.
at::Tensor applyFusedCore(const LambdaOperands& operands,
                          const at::Tensor& table,
                          const at::Tensor& tableRows);

}  // namespace lambda
