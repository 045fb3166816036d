#pragma once

// Copies of small matrices into the layouts that products of pairs read
// (../../products/pair_tiles.h).

#include "engine/kernels/products/pair_tiles.h"

#if defined(__x86_64__)

namespace lambda {

/// Writes [rows, count] in pairs of rows, [rows / 2 rounded up, count, 2].
LAMBDA_BFLOAT16_INLINE void pairAllRows(const Bfloat16* from,
                                        std::int64_t rows,
                                        std::int64_t count,
                                        Bfloat16* to) {
  for (std::int64_t row = 0; row < rows; row += 2) {
    const Bfloat16* second = row + 1 < rows ? from + (row + 1) * count : nullptr;
    pairRun(from + row * count, second, count, to + row * count);
  }
}

/// Writes [rows, pairs, 2] as [pairs, stride, 2], of which the first `rows` are written.
inline void transposePairs(const Bfloat16* from,
                           std::int64_t rows,
                           std::int64_t pairs,
                           Bfloat16* to,
                           std::int64_t stride) {
  constexpr std::int64_t kTogether = 16;
  for (std::int64_t first = 0; first < rows; first += kTogether) {
    const std::int64_t count = rows - first < kTogether ? rows - first : kTogether;
    for (std::int64_t pair = 0; pair < pairs; ++pair) {
      const Bfloat16* at = from + 2 * (first * pairs + pair);
      Bfloat16* target = to + 2 * (pair * stride + first);
      for (std::int64_t row = 0; row < count; ++row)
        std::memcpy(target + 2 * row, at + 2 * row * pairs, 2 * sizeof(Bfloat16));
    }
  }
}

/// Prefetches values into the second-level cache.
template <class T>
LAMBDA_BFLOAT16_INLINE void fetchRun(const T* from, std::int64_t count) {
  constexpr auto kLine = static_cast<std::int64_t>(64 / sizeof(T));
  for (std::int64_t i = 0; i < count; i += kLine) _mm_prefetch(from + i, _MM_HINT_T1);
}

/// Copies a run of pairs.
LAMBDA_BFLOAT16_INLINE void copyPairs(const Bfloat16* from, std::int64_t pairs, Bfloat16* to) {
  for (std::int64_t i = 0; i < pairs; i += kPairColumns) {
    const std::int64_t rest = pairs - i;
    const auto lanes = static_cast<__mmask16>(rest >= kPairColumns ? kAllLanes : (1U << rest) - 1U);
    _mm512_mask_storeu_epi32(to + 2 * i, lanes, _mm512_maskz_loadu_epi32(lanes, from + 2 * i));
  }
}

}  // namespace lambda

#endif
