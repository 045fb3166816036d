#include "engine/kernels/cuda/backward.cuh"

namespace lambda::cuda {
template cudaError_t backward<Bfloat16Format>(const CoreArguments<Bfloat16>&, bool, cudaStream_t);
}
