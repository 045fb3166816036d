#pragma once

#include <vector>

#include <ATen/ATen.h>

#include "engine/kernels/cuda/cuda_kernels.h"
#include "engine/kernels/weight_update_kernel.h"

namespace lambda {

/// updateWeights() for tensors on the device of the loss, with the clipping to `gradientClip`
/// (0 = none) that follows from the norm of all gradients; `rates.gradientScale` is not looked at.
/// Where norm or loss is not finite, nothing moves. Returns the norm before clipping, a float64
/// scalar on the device. Nothing waits for the GPU. The loss is a float32 scalar.
/// Throws c10::Error with CUDA's own words if a kernel can't be started.
at::Tensor updateOnDevice(const CudaKernels& kernels,
                          const UpdateRates& rates,
                          const std::vector<UpdatedWeights>& tensors,
                          double gradientClip,
                          const at::Tensor& loss);

}  // namespace lambda
