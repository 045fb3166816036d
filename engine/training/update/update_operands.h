#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

#include "engine/kernels/update/weight_update_kernel.h"
#include "engine/training/update/weight_update.h"

namespace lambda {

/// What the kernels of an update work on.
struct UpdateOperands {
  std::vector<UpdatedWeights> tensors;  ///< The parameters in their order, averaged buffers after.
  std::vector<at::Tensor> gradients;    ///< The memory of the gradients, Muon's filters left out.
};

/// Whether the kernels take the parameters: float32 masters, and all that belongs to one in the
/// same order in memory.
bool kernelsCanUpdate(const std::vector<UpdatedParameter>& parameters);

/// Gathers the operands of an update. A gradient in another order than its weights is copied, with
/// `inFloat32` one in bfloat16 too; the average takes in counts at once. Throws c10::Error if the
/// average is of another module or does not fit the kernels.
UpdateOperands gatherOperands(const std::vector<UpdatedParameter>& parameters,
                              WeightAverage* average,
                              bool inFloat32 = false);

/// Counts an update of every parameter with a gradient.
void countUpdate(const std::vector<UpdatedParameter>& parameters, UpdateOperands& operands);

/// The rates that all steps share, without learning rate and average.
UpdateRates constantRatesOf(const OptimizerConfig& config);

/// The rates of one step.
UpdateRates ratesOf(const OptimizerConfig& config, const UpdateStep& step);

}  // namespace lambda
