#pragma once

// Replaces CUDA's <cuda_runtime.h> where kernels are compiled for the host. It has only those
// keywords and functions of CUDA C++ that our kernels use, on top of block_emulator.h and
// warp_operations.h.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>

#include "tests/support/cuda_emulation/block_emulator.h"
#include "tests/support/cuda_emulation/warp_operations.h"

#define LAMBDA_CUDA_EMULATED

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __grid_constant__
#define __launch_bounds__(...)

struct dim3 {
  dim3() = default;

  explicit dim3(unsigned x_) : x(x_) {}

  unsigned x = 1;
};

struct alignas(8) uint2 {
  std::uint32_t x, y;
};

struct alignas(16) uint4 {
  std::uint32_t x, y, z, w;
};

enum cudaError_t { cudaSuccess = 0, cudaErrorInvalidValue = 1, cudaErrorInvalidConfiguration = 9 };

enum cudaDeviceAttr { cudaDevAttrComputeCapabilityMajor };

using cudaStream_t = void*;

inline const char* cudaGetErrorString(cudaError_t error) {
  return error == cudaSuccess ? "no error" : "an emulated error";
}

inline cudaError_t cudaGetLastError() {
  return cudaSuccess;
}

inline cudaError_t cudaSetDevice(int device) {
  return device == 0 ? cudaSuccess : cudaErrorInvalidValue;
}

inline cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr /*which*/, int device) {
  *value = 9;
  return cudaSetDevice(device);
}

// The emulated device uses the host's memory.

enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };

inline cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  *memory = ::operator new(bytes);
  return cudaSuccess;
}

inline cudaError_t cudaFree(void* memory) {
  ::operator delete(memory);
  return cudaSuccess;
}

inline cudaError_t cudaMemset(void* memory, int value, std::size_t bytes) {
  std::memset(memory, value, bytes);
  return cudaSuccess;
}

inline cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind) {
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}

inline cudaError_t cudaDeviceSynchronize() {
  return cudaSuccess;
}

struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  std::size_t dynamicSmemBytes;
  cudaStream_t stream;
};

template <class... Parameters, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config,
                               void (*kernel)(Parameters...),
                               const Arguments&... arguments) {
  lambda::emulation::runGrid(config->gridDim.x, config->blockDim.x, config->dynamicSmemBytes, [&] {
    kernel(arguments...);
  });
  return cudaSuccess;
}

// ---- variables and functions of device code ----

inline const lambda::emulation::Index& threadIdx = lambda::emulation::currentThread().threadIndex;
inline const lambda::emulation::Index& blockIdx = lambda::emulation::currentThread().blockIndex;
inline const lambda::emulation::Index& blockDim = lambda::emulation::currentThread().blockSize;

using std::isfinite;
using std::max;
using std::min;

template <class Value>
Value __ldg(const Value* from) {
  return *from;
}

inline float __uint_as_float(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

inline std::uint32_t __float_as_uint(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

inline float __fmul_rn(float a, float b) {
  return a * b;
}

inline float __fadd_rn(float a, float b) {
  return a + b;
}

inline void __syncthreads() {
  lambda::emulation::meetBlock();
}

template <class Value>
Value __shfl_xor_sync(unsigned mask, Value value, int laneMask) {
  static_assert(sizeof(Value) == 4);
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  bits = lambda::emulation::shuffleXor(mask, bits, laneMask);
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

inline int __any_sync(unsigned mask, int predicate) {
  return lambda::emulation::anyLane(mask, predicate != 0);
}

// ---- replacements for engine/kernels/cuda/warp.cuh ----

namespace lambda::cuda {

using emulation::mmaBfloat16;
using emulation::mmaTf32;
using emulation::packBfloat16;
using emulation::sharedMemory;

}  // namespace lambda::cuda
