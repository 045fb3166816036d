#pragma once

// How the lambda core holds its elements in registers and multiplies them on tensor cores (see the
// page in engine/kernels/lambda_core/lambda_core_kernel.h). The unit of all products is sums [16,
// 8] += a [16, 16] b [16, 8] by one warp. Of the 16 values that are summed over, the depth, a lane
// holds four: for rows g and g + 8 of a (g = Lane::group) and for column g of b. Any four will do
// as long as a and b agree, so they are chosen to be neighbours in memory where possible.

#include "engine/kernels/cuda/warp.cuh"
#include "engine/kernels/element.h"

namespace lambda::cuda {

/// A lane's share of [16, 8] sums: columns 2 place and 2 place + 1 of rows g and g + 8.
struct Sums {
  __device__ __forceinline__ void operator+=(const Sums& other) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
#pragma unroll
      for (int second = 0; second < 2; ++second) at[half][second] += other.at[half][second];
    }
  }

  float at[2][2] = {};
};

/// Four values of the depth that a lane holds of one row of a, or of one column of b.
template <class Format>
struct Quad {
  typename Format::Pair pairs[2];
};

/// A lane's share of a [16, 16]: four values of each of rows g and g + 8.
template <class Format>
struct Left {
  Quad<Format> rows[2];
};

/// bfloat16 on tensor cores, with sums in float32. A Pair is two values in one register.
struct Bfloat16Format {
  using Value = Bfloat16;
  using Pair = std::uint32_t;

  static __device__ __forceinline__ Pair join(Value first, Value second) {
    return first | static_cast<Pair>(second) << 16;
  }

  static __device__ __forceinline__ Pair round(float first, float second) {
    return packBfloat16(first, second);
  }

  static __device__ __forceinline__ Value round(float value) {
    return static_cast<Value>(packBfloat16(value, 0.0F));
  }

  static __device__ __forceinline__ Pair exchange(Pair pair, int laneBit) {
    return __shfl_xor_sync(kFullWarp, pair, laneBit);
  }

  static __device__ __forceinline__ void multiply(Sums& sums,
                                                  const Left<Bfloat16Format>& a,
                                                  const Quad<Bfloat16Format>& b) {
    mmaBfloat16(sums.at,
                {a.rows[0].pairs[0], a.rows[1].pairs[0], a.rows[0].pairs[1], a.rows[1].pairs[1]},
                {b.pairs[0], b.pairs[1]});
  }
};

/// float32 on tensor cores: each value is the sum of two TF32 values, with 11 bits and a sign each.
/// All products of these parts are made except that of the two small ones, which is 2^-22 of the
/// whole. Tensor cores round sums towards 0, an error that would grow in long sums, so long sums
/// are made outside them. The last 4096 values of float32 before infinity count as infinite.
struct Float32Format {
  using Value = float;

  struct Pair {
    float first, second;
  };

  static __device__ __forceinline__ Pair join(Value first, Value second) { return {first, second}; }

  static __device__ __forceinline__ Pair round(float first, float second) {
    return {first, second};
  }

  static __device__ __forceinline__ Value round(float value) { return value; }

  static __device__ __forceinline__ Pair exchange(Pair pair, int laneBit) {
    return {__shfl_xor_sync(kFullWarp, pair.first, laneBit),
            __shfl_xor_sync(kFullWarp, pair.second, laneBit)};
  }

  struct Parts {
    std::uint32_t large, small;
  };

  static __device__ __forceinline__ Parts split(float value) {
    const std::uint32_t large = (__float_as_uint(value) + 0x1000) & 0xFFFFE000;
    return {large, __float_as_uint(value - __uint_as_float(large))};
  }

  static __device__ __forceinline__ void multiply(Sums& sums,
                                                  const Left<Float32Format>& a,
                                                  const Quad<Float32Format>& b) {
    Sums part;
#pragma unroll
    for (int p = 0; p < 2; ++p) {
      const Parts upperFirst = split(a.rows[0].pairs[p].first);
      const Parts upperSecond = split(a.rows[0].pairs[p].second);
      const Parts lowerFirst = split(a.rows[1].pairs[p].first);
      const Parts lowerSecond = split(a.rows[1].pairs[p].second);
      const Parts first = split(b.pairs[p].first);
      const Parts second = split(b.pairs[p].second);
      const std::uint32_t aLarge[4] = {
          upperFirst.large, lowerFirst.large, upperSecond.large, lowerSecond.large};
      const std::uint32_t aSmall[4] = {
          upperFirst.small, lowerFirst.small, upperSecond.small, lowerSecond.small};
      const std::uint32_t bLarge[2] = {first.large, second.large};
      const std::uint32_t bSmall[2] = {first.small, second.small};
      mmaTf32(part.at, aSmall, bLarge);
      mmaTf32(part.at, aLarge, bSmall);
      mmaTf32(part.at, aLarge, bLarge);
    }
    sums += part;
  }
};

}  // namespace lambda::cuda
