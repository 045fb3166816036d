#include "engine/kernels/cuda/backward.cuh"

namespace lambda::cuda {
template cudaError_t backward<Float32Format>(const CoreArguments<float>&, bool, cudaStream_t);
}
