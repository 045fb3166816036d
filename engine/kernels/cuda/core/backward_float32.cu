// The backward pass of the CUDA lambda core for float32 elements. See
// engine/kernels/lambda_core/lambda_core_kernel.h for the algebra and backward.cuh for the code.

#include "engine/kernels/cuda/core/backward.cuh"

namespace lambda::cuda {
template cudaError_t backward<Float32Format>(const CoreArguments<float>&, bool, cudaStream_t);
}
