#include "engine/kernels/cuda/cuda_kernels.h"

/// A plugin that is older than the program.
extern "C" __attribute__((visibility("default"))) const lambda::CudaKernels* lambdaCudaKernels() {
  static constexpr lambda::CudaKernels kKernels{/*version=*/0};
  return &kKernels;
}
