#pragma once

#include <functional>
#include <string>
#include <vector>

#include <ATen/ATen.h>

#include "engine/benchmarks/core/core_case.h"
#include "engine/kernels/lambda_core/core_shape.h"
#include "engine/layers/lambda/lambda_core.h"
#include "engine/layers/lambda/position_embedding.h"

namespace lambda {

/// The embeddings of a core, as leaves of autograd, in both shapes that forms read.
struct CoreEmbeddings {
  at::Tensor table;     ///< R [rows, 1, k]: relative offsets, in float32 or float64.
  at::Tensor pairRows;  ///< [n, m] int32: the row of each pair, negative outside the window.
  at::Tensor expanded;  ///< E [n, m, k]: a free vector for each pair, 0 outside the window.
  TableRows rows = {};  ///< The rows as the fused core takes them.
};

/// Draws from N(0, 1), rounded to values of the type.
CoreEmbeddings makeEmbeddings(const CoreCase& shape,
                              at::ScalarType type,
                              const at::Device& device = at::kCPU);

/// The same values in float64.
CoreEmbeddings inDouble(const CoreEmbeddings& embeddings);

/// One implementation of the core.
struct CoreForm {
  std::string name;
  /// The member of CoreEmbeddings that it reads.
  at::Tensor CoreEmbeddings::*weight = nullptr;
  /// Returns y [b, n, h, v].
  std::function<at::Tensor(const LambdaOperands&, const CoreEmbeddings&)> apply;
};

/// All forms of a core. The fused kernel in that order comes first, then plain ATen: the einsum of
/// published implementations; lambdas by one matrix product; the attention order by two batched
/// products; and, for a local scope, the lambda convolution. The plain forms get the embeddings of
/// all pairs, so they do not gather them from a table or scatter their gradient into it. For a
/// local scope on the CPU, the last is the fused kernel that takesWindow() does not choose.
std::vector<CoreForm> coreForms(const CoreCase& shape,
                                CoreOrder order = CoreOrder::automatic,
                                const at::Device& device = at::kCPU);

/// The form that, in float64, is the reference for the others.
CoreForm attentionOrder();

/// The gradient of the table from the gradient of the expanded embeddings.
at::Tensor foldToTable(const at::Tensor& expandedGradient, const CoreEmbeddings& embeddings);

}  // namespace lambda
