#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include <cuda_runtime.h>

#include "engine/kernels/cuda/warp.cuh"

namespace lambda::cuda {

/// Queues a kernel with `blocks` blocks of `warps` warps; does nothing if there are no blocks.
/// Returns cudaErrorInvalidConfiguration for more than 2^31 - 1 blocks.
template <class... Parameters>
cudaError_t launch(void (*kernel)(Parameters...),
                   std::int64_t blocks,
                   int warps,
                   std::size_t sharedBytes,
                   cudaStream_t stream,
                   const Parameters&... parameters) {
  if (blocks == 0) return cudaSuccess;
  if (blocks > std::numeric_limits<std::int32_t>::max()) return cudaErrorInvalidConfiguration;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(static_cast<unsigned>(warps * kWarpSize));
  config.dynamicSmemBytes = sharedBytes;
  config.stream = stream;
  return cudaLaunchKernelEx(&config, kernel, parameters...);
}

}  // namespace lambda::cuda
