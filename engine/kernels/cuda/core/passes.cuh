#pragma once

#include <cuda_runtime.h>

#include "engine/kernels/cuda/core/core_arguments.cuh"

namespace lambda::cuda {

// The two passes of the CUDA lambda core, which forward.cuh and backward.cuh define. Each pass of
// each number format is compiled in a separate file. `isAligned`: all operands begin at multiples
// of four elements. Returns the error of a kernel that can't be queued.

/// Queues the kernel that writes y, and the content lambdas for backward().
template <class Format>
cudaError_t forward(const CoreArguments<typename Format::Value>& core,
                    bool isAligned,
                    cudaStream_t stream);

/// Queues the two kernels that write the gradients.
template <class Format>
cudaError_t backward(const CoreArguments<typename Format::Value>& core,
                     bool isAligned,
                     cudaStream_t stream);

}  // namespace lambda::cuda
