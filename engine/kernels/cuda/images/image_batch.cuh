#pragma once

#include "engine/kernels/cuda/cuda_kernels.h"

namespace lambda::cuda {

/// See CudaKernels::makeImageBatch.
CudaOutcome makeImageBatch(const CudaImageBatch& batch, const CudaQueue& queue);

}  // namespace lambda::cuda
