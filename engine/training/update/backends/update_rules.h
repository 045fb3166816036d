#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

#include "engine/kernels/update/weight_update_kernel.h"
#include "engine/values/config/optimizer.h"

namespace lambda {

// The rules of the kinds of optimisers, for our kernels and for ATen. With Muon, they are those of
// the parameters that are not filters.

/// The parameters that share a learning rate and a weight decay, with their gradients and moments.
struct UpdatedGroup {
  std::vector<at::Tensor> parameters;
  std::vector<at::Tensor> gradients;  ///< In the parameters' type.
  std::vector<at::Tensor> firstMoments;
  std::vector<at::Tensor> secondMoments;  ///< Empty where the optimiser's traits have none.
  std::vector<at::Tensor> steps;          ///< Updates done, float32 scalars; the same.
  double learningRate = 0;
  double weightDecay = 0;
};

/// The rule with the rates that all steps share: all but the learning rate, the factor of the
/// gradients and the share of the average.
UpdateRates constantRatesOf(const OptimizerKind& kind);

/// Updates one group by operations of ATen, fused ones where there are such.
void updateByAten(const OptimizerKind& kind, UpdatedGroup& group);

}  // namespace lambda
