#pragma once

#include <vector>

#include <ATen/ATen.h>

#include "engine/values/run_config.h"

namespace lambda {

/// Parameters of one learning rate and one weight decay, with what belongs to each.
struct UpdatedGroup {
  std::vector<at::Tensor> parameters;
  std::vector<at::Tensor> gradients;  ///< Of the parameters' type.
  std::vector<at::Tensor> firsts;     ///< Momentum, or the first moment.
  std::vector<at::Tensor> seconds;    ///< The second moment; Adam and AdamW.
  std::vector<at::Tensor> steps;      ///< Updates done, float32 scalars; Adam and AdamW.
  double learningRate = 0;
  double weightDecay = 0;
};

/// The update by ATen's fused kernels, which need no float32 and no order in memory: where ours
/// don't fit, and what they are compared with. Muon's other weights are updated by SGD.
void updateByAten(const OptimizerConfig& config, UpdatedGroup group);

}  // namespace lambda
