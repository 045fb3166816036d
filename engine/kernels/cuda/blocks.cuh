#pragma once

#include <cstdint>

#include <cuda_runtime.h>

namespace lambda::cuda {

/// Most warps of a block.
inline constexpr int kMostWarps = 4;

__host__ __device__ constexpr int ceilDivide(int count, int size) {
  return (count + size - 1) / size;
}

__host__ __device__ constexpr std::int64_t ceilDivide(std::int64_t count, std::int64_t size) {
  return (count + size - 1) / size;
}

}  // namespace lambda::cuda
