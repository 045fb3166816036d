#include "engine/kernels/cuda/core/backward.cuh"

namespace lambda::cuda {
template cudaError_t backward<Float32Format>(const CoreArguments<float>&, bool, cudaStream_t);
}
