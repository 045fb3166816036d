#pragma once

#include "engine/kernels/cuda/cuda_kernels.h"

namespace lambda::cuda {

/// See CudaKernels::updateWeights.
CudaOutcome updateWeights(const CudaWeightUpdate& update, const CudaQueue& queue);

}  // namespace lambda::cuda
