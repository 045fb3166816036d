#pragma once

#include <cuda_runtime.h>

#include "engine/kernels/cuda/cuda_kernels.h"

namespace lambda::cuda {

inline CudaOutcome outcomeOf(cudaError_t error) {
  if (error == cudaSuccess) return {};
  cudaGetLastError();  // Not for whoever asks next.
  return {static_cast<int>(error), cudaGetErrorString(error)};
}

}  // namespace lambda::cuda
