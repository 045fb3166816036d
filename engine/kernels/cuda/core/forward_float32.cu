// The forward pass of the CUDA lambda core for float32 elements. See
// engine/kernels/lambda_core/lambda_core_kernel.h for the algebra and forward.cuh for the code.

#include "engine/kernels/cuda/core/forward.cuh"

namespace lambda::cuda {
template cudaError_t forward<Float32Format>(const CoreArguments<float>&, bool, cudaStream_t);
}
