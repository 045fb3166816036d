#pragma once

#include "engine/kernels/cuda/cuda_kernels.h"

namespace lambda::cuda {

/// See CudaKernels::wkvForward.
CudaOutcome wkvForward(const WkvShape& shape,
                       const WkvInputs& inputs,
                       const WkvStates& states,
                       float* out,
                       const CudaQueue& queue);

/// See CudaKernels::wkvBackward.
CudaOutcome wkvBackward(const WkvShape& shape,
                        const WkvInputs& inputs,
                        const float* chunks,
                        const float* dOut,
                        const WkvGradients& gradients,
                        double* workspace,
                        const CudaQueue& queue);

}  // namespace lambda::cuda
