#include "engine/kernels/cuda/core/backward.cuh"

namespace lambda::cuda {
template cudaError_t backward<Bfloat16Format>(const CoreArguments<Bfloat16>&, bool, cudaStream_t);
}
