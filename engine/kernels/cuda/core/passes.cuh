#pragma once

#include <cuda_runtime.h>

#include "engine/kernels/cuda/core/core_arguments.cuh"

namespace lambda::cuda {

// Each pass of each format is compiled in a file of its own. `isAligned`: all operands begin at
// multiples of four elements.

/// y, and the content lambdas for backward().
template <class Format>
cudaError_t forward(const CoreArguments<typename Format::Value>& core,
                    bool isAligned,
                    cudaStream_t stream);

/// The gradients.
template <class Format>
cudaError_t backward(const CoreArguments<typename Format::Value>& core,
                     bool isAligned,
                     cudaStream_t stream);

}  // namespace lambda::cuda
