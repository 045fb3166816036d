#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

#include "engine/kernels/update/weight_update_kernel.h"
#include "engine/training/update/weight_update.h"

namespace lambda {

/// The operands of the update kernels.
struct UpdateOperands {
  std::vector<UpdatedWeights> tensors;  ///< The parameters in order, then the averaged buffers.
  std::vector<at::Tensor> gradients;    ///< Keeps the memory of the gradients; without Muon's.
};

/// Whether our kernels can update the parameters: the masters are dense float32, and the moments
/// and rounded weights of each are in the same memory order and on the same device.
bool kernelsCanUpdate(const std::vector<UpdatedParameter>& parameters);

/// Gathers the operands of an update. A gradient whose memory order differs from that of its
/// weights is copied; with `inFloat32` a bfloat16 gradient is converted too. Integer buffers, such
/// as counts, are copied to the average at once. Throws c10::Error if the average belongs to
/// another module or does not fit the kernels.
UpdateOperands gatherOperands(const std::vector<UpdatedParameter>& parameters,
                              WeightAverage* average,
                              bool inFloat32 = false);

/// Increments the update count of every parameter that counts them and has a gradient.
void countUpdate(const std::vector<UpdatedParameter>& parameters, UpdateOperands& operands);

/// The rates of one step.
UpdateRates ratesOf(const OptimizerKind& kind, const UpdateStep& step);

}  // namespace lambda
