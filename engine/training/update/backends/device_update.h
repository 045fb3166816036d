#pragma once

#include <cstddef>
#include <vector>

#include <ATen/ATen.h>

#include "engine/kernels/cuda/cuda_kernels.h"
#include "engine/kernels/update/weight_update_kernel.h"

namespace lambda {

/// updateWeights() on a GPU, with clipping of all gradients together to the norm `gradientClip`
/// (0 = none). send() transfers the values that differ from step to step, and queue() queues the
/// kernels, so that a recorded update can be replayed after another send(). Where norm or loss is
/// not finite, no weight moves. Nothing waits for the GPU. Lives on the training thread, and must
/// outlive any recording of its work. Throws c10::Error with CUDA's message if a kernel can't be
/// started.
class DeviceUpdate {
 public:
  /// Prepares updates of tensors of the same number and sizes as `tensors`.
  DeviceUpdate(const CudaKernels& kernels,
               const std::vector<UpdatedWeights>& tensors,
               double gradientClip,
               const at::Device& device);

  /// Whether it was prepared for tensors of this number and these sizes.
  bool matches(const std::vector<UpdatedWeights>& tensors) const;

  /// Sends the addresses of the tensors and the rates of the step; ignores `rates.gradientScale`.
  void send(const UpdateRates& rates, const std::vector<UpdatedWeights>& tensors);

  /// Queues the update; send() may come before or after. Of the rates only those that all steps
  /// share are used. The loss is a float32 scalar on the device. Returns the norm before clipping,
  /// a float64 scalar on the device that the next update overwrites.
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
