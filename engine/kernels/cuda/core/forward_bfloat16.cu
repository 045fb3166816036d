#include "engine/kernels/cuda/core/forward.cuh"

namespace lambda::cuda {
template cudaError_t forward<Bfloat16Format>(const CoreArguments<Bfloat16>&, bool, cudaStream_t);
}
