#pragma once

#include <cuda_runtime.h>

#include "engine/kernels/cuda/cuda_kernels.h"

namespace lambda::cuda {

/// The outcome of a call that returned `error`.
inline CudaOutcome outcomeOf(cudaError_t error) {
  if (error == cudaSuccess) return {};
  cudaGetLastError();  // Cleared, so that later calls do not report it.
  return {static_cast<int>(error), cudaGetErrorString(error)};
}

}  // namespace lambda::cuda
