#pragma once

#include <ATen/ATen.h>

namespace lambda {

/// The operands of one layer's lambda core. A row of the context is (m, u): position m, intra-depth
/// u.
struct LambdaOperands {
  at::Tensor queries;  ///< q [b, n, h, k]
  /// kbar [b, m u, k], normalised over m; with a mask [b, n, m u, k], because each query has a
  /// context of its own. Undefined without content lambda.
  at::Tensor keys;
  at::Tensor values;  ///< v [b, m u, v]
};

// The core y_n = sum_m (q_n . (kbar_m + e_nm)) v_m of LambdaNetworks (equations 1 and 2) in plain
// ATen. No softmax stands between the two products, so the queries may be contracted first: the
// "attention order" costs 2 n m h (k + v) and never builds the lambdas, 2 n m k v. They are the
// reference for the fused kernels and run where no kernel fits. The page at the top of
// engine/kernels/lambda_core/lambda_core_kernel.h has the whole algebra.

/// The content part [b, n, h, v]: q_n applied to lambda_c = kbar^T v (section 3.1), which all
/// queries share.
at::Tensor applyContentLambda(const LambdaOperands& operands);

/// The content part [b, n, h, v] for a mask: each query has a content lambda of its own (appendix
/// B.2). In attention order.
at::Tensor applyMaskedContentLambdas(const LambdaOperands& operands);

/// The position part [b, n, h, v] in attention order. `embeddings` is E [n, m u, k].
at::Tensor applyPositionLambdas(const LambdaOperands& operands, const at::Tensor& embeddings);

/// The position part [b, n, h, v] where all queries have the same embeddings [r u, k] for the r
/// positions of a window that moves on by one from a query to the next. The values are
/// [b, (r + n - 1) u, v], from the first position of the first window on.
at::Tensor applyWindowLambdas(const LambdaOperands& operands, const at::Tensor& embeddings);

/// The position part [b, n, h, v] of a local scope as a lambda convolution (section 3.4, appendix
/// B.1): the values are convolved with the embeddings into lambdas, which are then applied.
/// `table` is R [r r, u, k]. Equal to applyPositionLambdas with everything outside the window at 0.
at::Tensor applyLambdaConvolution(const LambdaOperands& operands,
                                  const at::Tensor& table,
                                  std::int64_t mapHeight,
                                  std::int64_t mapWidth);

}  // namespace lambda
