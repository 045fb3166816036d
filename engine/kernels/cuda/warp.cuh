#pragma once

// Instructions that C++ has no expression for. A build for the host defines its own versions of
// them, and LAMBDA_CUDA_EMULATED, in its <cuda_runtime.h>: see tests/support/cuda_emulation.

#include <cstdint>

#include <cuda_runtime.h>

#ifndef LAMBDA_CUDA_EMULATED

namespace lambda::cuda {

/// sums [16, 8] += a [16, 16] b [16, 8] of bfloat16. Fragments are laid out as PTX defines them for
/// mma.m16n8k16.
__device__ __forceinline__ void mmaBfloat16(float (&sums)[2][2],
                                            const std::uint32_t (&a)[4],
                                            const std::uint32_t (&b)[2]) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sums[0][0]), "+f"(sums[0][1]), "+f"(sums[1][0]), "+f"(sums[1][1])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/// sums [16, 8] += a [16, 8] b [8, 8] of TF32 values, the upper 19 bits of float32. Fragments are
/// laid out as PTX defines them for mma.m16n8k8.
__device__ __forceinline__ void mmaTf32(float (&sums)[2][2],
                                        const std::uint32_t (&a)[4],
                                        const std::uint32_t (&b)[2]) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sums[0][0]), "+f"(sums[0][1]), "+f"(sums[1][0]), "+f"(sums[1][1])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/// Two values rounded to the nearest bfloat16, ties to even; `low` in the lower half.
__device__ __forceinline__ std::uint32_t packBfloat16(float low, float high) {
  std::uint32_t packed;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(packed) : "f"(high), "f"(low));
  return packed;
}

/// The dynamic shared memory of the block.
__device__ __forceinline__ void* sharedMemory() {
  extern __shared__ uint4 memory[];
  return memory;
}

}  // namespace lambda::cuda

#endif  // LAMBDA_CUDA_EMULATED

namespace lambda::cuda {

inline constexpr int kWarpSize = 32;
inline constexpr unsigned kFullWarp = 0xFFFFFFFF;

/// The position of a lane in the fragments of mma: its group and its place in the group, which PTX
/// calls groupID and threadID_in_group.
struct Lane {
  __device__ __forceinline__ Lane()
      : group(static_cast<int>(threadIdx.x) % kWarpSize / 4),
        place(static_cast<int>(threadIdx.x) % 4) {}

  int group;  ///< 0..7: row group and row group + 8 of A and of the sums, column of B.
  int place;  ///< 0..3: the columns 2 place and 2 place + 1 of the sums.
};

}  // namespace lambda::cuda
