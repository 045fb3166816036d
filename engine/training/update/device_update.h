#pragma once

#include <cstddef>
#include <vector>

#include <ATen/ATen.h>

#include "engine/kernels/cuda/cuda_kernels.h"
#include "engine/kernels/update/weight_update_kernel.h"

namespace lambda {

/// updateWeights() on a GPU, with the clipping to `gradientClip` (0 = none) that follows from the
/// norm of all gradients. What differs from step to step is sent, the rest is queued, so that a
/// queued update can be recorded and done again after something else was sent. Where norm or loss
/// is not finite, nothing moves. Nothing waits for the GPU. Lives on the training thread, and as
/// long as a record of its work.
/// Its functions throw c10::Error with CUDA's own words if a kernel can't be started.
class DeviceUpdate {
 public:
  /// For updates of tensors as many and as large as these.
  DeviceUpdate(const CudaKernels& kernels,
               const std::vector<UpdatedWeights>& tensors,
               double gradientClip,
               const at::Device& device);

  /// Whether it is for these tensors.
  bool matches(const std::vector<UpdatedWeights>& tensors) const;

  /// Sends where the tensors are and what the step is; `rates.gradientScale` is not looked at.
  void send(const UpdateRates& rates, const std::vector<UpdatedWeights>& tensors);

  /// Queues the update that was or will be sent; of the rates it takes those that every step has
  /// in common. The loss is a float32 scalar on the device; so is
  /// what is returned, in float64: the norm before clipping, which the next update writes anew.
  at::Tensor queue(const UpdateRates& rates, const at::Tensor& loss) const;

 private:
  const CudaKernels& kernels_;
  double gradientClip_;
  std::vector<std::int64_t> sizes_;
  at::Tensor blocks_;   // CudaUpdateBlock[...]
  at::Tensor package_;  // CudaUpdatedWeights[tensors], CudaUpdateStep
  at::Tensor squares_;
  at::Tensor gradientNorm_;
};

}  // namespace lambda
