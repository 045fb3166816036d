#include "engine/kernels/cuda/core/forward.cuh"

namespace lambda::cuda {
template cudaError_t forward<Float32Format>(const CoreArguments<float>&, bool, cudaStream_t);
}
