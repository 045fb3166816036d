#pragma once

#include <functional>
#include <string>
#include <vector>

#include <ATen/ATen.h>

#include "benchmarks/core_case.h"
#include "engine/kernels/lambda_core/core_shape.h"
#include "engine/layers/lambda/lambda_core.h"

namespace lambda {

/// The embeddings of a core, as leaves of the gradient in both of the shapes that forms read.
struct CoreEmbeddings {
  at::Tensor table;     ///< R [rows, 1, k]: relative offsets. Of no smaller a type than float32.
  at::Tensor pairRows;  ///< [n, m] int32: the row of each pair, -1 outside the window.
  at::Tensor expanded;  ///< E [n, m, k]: a free vector for each pair, 0 outside the window.
};

/// N(0, 1), in values that the type has.
CoreEmbeddings makeEmbeddings(const CoreCase& shape, at::ScalarType type);

/// The same values in float64.
CoreEmbeddings inDouble(const CoreEmbeddings& embeddings);

/// A way to compute the core.
struct CoreForm {
  std::string name;
  /// Those of the embeddings that it reads.
  at::Tensor CoreEmbeddings::*weight = nullptr;
  /// y [b, n, h, v].
  std::function<at::Tensor(const LambdaOperands&, const CoreEmbeddings&)> apply;
};

/// The fused kernel first, in that order, then plain ATen: the einsum that implementations ship;
/// lambdas by one matrix product; the attention order by two batched ones; for a local scope also
/// the lambda convolution. The plain forms are given the embeddings of all pairs and leave out
/// gathering them from a table, and scattering their gradient into it.
std::vector<CoreForm> coreForms(const CoreCase& shape, CoreOrder order = CoreOrder::automatic);

/// The form that the others are compared with, in float64.
CoreForm attentionOrder();

/// The gradient of the table of that of the expanded embeddings.
at::Tensor foldToTable(const at::Tensor& expandedGradient, const CoreEmbeddings& embeddings);

}  // namespace lambda
