#pragma once

// The inner loops of products in bfloat16 with sums in float32, by the dot products of AVX-512
// BF16: C = A B, or sums of such products. An instruction multiplies pairs of values of successive
// depths, so that both operands have the two values of a pair side by side. A tile of C stays in
// registers while its depth is summed. x86 only.

#include "engine/kernels/products/bfloat16_products.h"
#include "engine/kernels/unroll.h"

#if defined(__x86_64__)

#include <cstdint>
#include <cstring>

#include <immintrin.h>

// Attributes instead of options of the compiler: with these, functions that a source shares with
// others would have the instructions too.
#define LAMBDA_BFLOAT16 __attribute__((target("avx512f,avx512bw,avx512vl,avx512bf16")))
#define LAMBDA_BFLOAT16_INLINE LAMBDA_BFLOAT16 __attribute__((always_inline)) inline

namespace lambda {

/// All lanes. With a mask, because GCC warns about the unused argument of the forms without.
inline constexpr __mmask16 kAllLanes = 0xFFFF;

/// A stride that the compiler knows, if it is not 0.
template <int kValue = 0>
struct PairStride {
  std::int64_t value = kValue;

  constexpr operator std::int64_t() const { return kValue > 0 ? kValue : value; }
};

/// A [rows, pairs, 2]: the pairs of a row lie one after another.
template <int kStride = 0>
struct PairsInRow {
  const Bfloat16* base = nullptr;
  PairStride<kStride> rowStride;

  static constexpr std::int64_t pairStride = 2;
};

template <int kStride = 0>
PairsInRow(const Bfloat16*, PairStride<kStride>) -> PairsInRow<kStride>;

/// A [rows, pairs, 2], given as [pairs, rows, 2].
struct RowsInPair {
  const Bfloat16* base = nullptr;
  std::int64_t pairStride = 0;

  static constexpr std::int64_t rowStride = 2;
};

/// One product A [rows, pairs, 2] times B [pairs, columns, 2].
template <class A>
struct PairTerm {
  A a;
  const Bfloat16* b = nullptr;
  std::int64_t stride = 0;  ///< Values of B from pair to pair.
  std::int64_t pairs = 0;
};

template <class A>
PairTerm(A, const Bfloat16*, std::int64_t, std::int64_t) -> PairTerm<A>;

/// Two vectors rounded to bfloat16, the first in the lower half.
LAMBDA_BFLOAT16_INLINE __m512i rounded(__m512 first, __m512 second) {
  return reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(second, first));
}

LAMBDA_BFLOAT16_INLINE __m256i rounded(__m512 values) {
  return reinterpret_cast<__m256i>(_mm512_cvtneps_pbh(values));
}

/// Pairs of the values of two rows, each value of 16 bits.
LAMBDA_BFLOAT16_INLINE __m512i paired(__m256i first, __m256i second) {
  const __m512i upper =
      _mm512_maskz_slli_epi32(kAllLanes, _mm512_maskz_cvtepu16_epi32(kAllLanes, second), 16);
  return _mm512_or_si512(_mm512_maskz_cvtepu16_epi32(kAllLanes, first), upper);
}

/// Rounds `count` floats, a multiple of kPairColumns.
LAMBDA_BFLOAT16_INLINE void roundRun(const float* from, std::int64_t count, Bfloat16* to) {
  for (std::int64_t i = 0; i < count; i += kPairColumns)
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i), rounded(_mm512_loadu_ps(from + i)));
}

/// Writes the pairs of two rows [count, 2], `count` a multiple of kPairColumns. The second row is
/// zeros if it is null.
LAMBDA_BFLOAT16_INLINE void pairRun(const Bfloat16* first,
                                    const Bfloat16* second,
                                    std::int64_t count,
                                    Bfloat16* to) {
  for (std::int64_t i = 0; i < count; i += kPairColumns) {
    const __m256i lower = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(first + i));
    const __m256i upper = second ? _mm256_loadu_si256(reinterpret_cast<const __m256i*>(second + i))
                                 : _mm256_setzero_si256();
    _mm512_storeu_si512(to + 2 * i, paired(lower, upper));
  }
}

/// C in float32, rows a stride apart.
struct PairSums {
  float* base = nullptr;
  std::int64_t stride = 0;
};

/// The same for multiplyPairsTo(): written, or added to if `kAdd`.
template <bool kAdd>
struct SumRows {
  float* base = nullptr;
  std::int64_t stride = 0;

  float* row(std::int64_t row) const { return base + row * stride; }

  template <int kRows, int kVectors>
  LAMBDA_BFLOAT16_INLINE void begin(std::int64_t first,
                                    std::int64_t column,
                                    __m512 (&sums)[kRows][kVectors]) const {
    LAMBDA_UNROLL(16)
    for (int r = 0; r < kRows; ++r) {
      LAMBDA_UNROLL(4)
      for (int j = 0; j < kVectors; ++j) {
        sums[r][j] = kAdd ? _mm512_loadu_ps(row(first + r) + column + j * kPairColumns)
                          : _mm512_setzero_ps();
      }
    }
  }

  template <int kRows, int kVectors>
  LAMBDA_BFLOAT16_INLINE void end(std::int64_t first,
                                  std::int64_t column,
                                  const __m512 (&sums)[kRows][kVectors]) const {
    LAMBDA_UNROLL(16)
    for (int r = 0; r < kRows; ++r) {
      LAMBDA_UNROLL(4)
      for (int j = 0; j < kVectors; ++j)
        _mm512_storeu_ps(row(first + r) + column + j * kPairColumns, sums[r][j]);
    }
  }
};

/// C in float32: rows at any places, added to.
struct ScatteredSums {
  float* base = nullptr;
  const std::int64_t* offsets = nullptr;

  template <int kRows, int kVectors>
  LAMBDA_BFLOAT16_INLINE void begin(std::int64_t first,
                                    std::int64_t column,
                                    __m512 (&sums)[kRows][kVectors]) const {
    LAMBDA_UNROLL(16)
    for (int r = 0; r < kRows; ++r) {
      LAMBDA_UNROLL(4)
      for (int j = 0; j < kVectors; ++j)
        sums[r][j] = _mm512_loadu_ps(base + offsets[first + r] + column + j * kPairColumns);
    }
  }

  template <int kRows, int kVectors>
  LAMBDA_BFLOAT16_INLINE void end(std::int64_t first,
                                  std::int64_t column,
                                  const __m512 (&sums)[kRows][kVectors]) const {
    LAMBDA_UNROLL(16)
    for (int r = 0; r < kRows; ++r) {
      LAMBDA_UNROLL(4)
      for (int j = 0; j < kVectors; ++j)
        _mm512_storeu_ps(base + offsets[first + r] + column + j * kPairColumns, sums[r][j]);
    }
  }
};

/// C rounded to bfloat16, as the operand of another product: row by row, in pairs of rows, or both.
/// The number of rows is even, and columns are a multiple of 2 kPairColumns.
template <bool kInRows, bool kInPairs>
struct RoundedSums {
  Bfloat16* rows = nullptr;  ///< [rows, columns]
  const std::int64_t* rowOffsets = nullptr;
  Bfloat16* pairs = nullptr;  ///< [rows / 2, columns, 2]
  const std::int64_t* pairOffsets = nullptr;

  template <int kRows, int kVectors>
  LAMBDA_BFLOAT16_INLINE void begin(std::int64_t,
                                    std::int64_t,
                                    __m512 (&sums)[kRows][kVectors]) const {
    LAMBDA_UNROLL(16)
    for (int r = 0; r < kRows; ++r) {
      LAMBDA_UNROLL(4)
      for (int j = 0; j < kVectors; ++j) sums[r][j] = _mm512_setzero_ps();
    }
  }

  template <int kRows, int kVectors>
  LAMBDA_BFLOAT16_INLINE void end(std::int64_t first,
                                  std::int64_t column,
                                  const __m512 (&sums)[kRows][kVectors]) const {
    if constexpr (kInRows) {
      LAMBDA_UNROLL(16)
      for (int r = 0; r < kRows; ++r) {
        LAMBDA_UNROLL(2)
        for (int j = 0; j + 1 < kVectors; j += 2) {
          _mm512_storeu_si512(rows + rowOffsets[first + r] + column + j * kPairColumns,
                              rounded(sums[r][j], sums[r][j + 1]));
        }
      }
    }
    if constexpr (kInPairs) {
      LAMBDA_UNROLL(8)
      for (int r = 0; r + 1 < kRows; r += 2) {
        LAMBDA_UNROLL(4)
        for (int j = 0; j < kVectors; ++j) {
          _mm512_storeu_si512(
              pairs + pairOffsets[(first + r) / 2] + 2 * (column + j * kPairColumns),
              paired(rounded(sums[r][j]), rounded(sums[r + 1][j])));
        }
      }
    }
  }
};

/// sums += the product's tile at a row and a column
template <int kRows, int kVectors, class A>
LAMBDA_BFLOAT16_INLINE void addPairs(std::int64_t row,
                                     std::int64_t column,
                                     const PairTerm<A>& term,
                                     __m512 (&sums)[kRows][kVectors]) {
  // Operands without a pair may be null.
  if (term.pairs == 0) return;
  const std::int64_t rowStride = term.a.rowStride, pairStride = term.a.pairStride;
  // Four rows have a base of their own, so that their addresses need no further registers.
  const Bfloat16* at[(kRows + 3) / 4];
  LAMBDA_UNROLL(4)
  for (int four = 0; four < (kRows + 3) / 4; ++four)
    at[four] = term.a.base + (row + 4 * four) * rowStride;
  const Bfloat16* b = term.b + 2 * column;
  for (std::int64_t pair = 0; pair < term.pairs; ++pair) {
    __m512i factors[kVectors];
    LAMBDA_UNROLL(4)
    for (int j = 0; j < kVectors; ++j) factors[j] = _mm512_loadu_si512(b + 2 * j * kPairColumns);
    LAMBDA_UNROLL(16)
    for (int r = 0; r < kRows; ++r) {
      int pairOfRow;
      std::memcpy(&pairOfRow, at[r / 4] + r % 4 * rowStride, sizeof(pairOfRow));
      const __m512i value = _mm512_set1_epi32(pairOfRow);
      LAMBDA_UNROLL(4)
      for (int j = 0; j < kVectors; ++j) {
        sums[r][j] = _mm512_dpbf16_ps(
            sums[r][j], reinterpret_cast<__m512bh>(value), reinterpret_cast<__m512bh>(factors[j]));
      }
    }
    LAMBDA_UNROLL(4)
    for (int four = 0; four < (kRows + 3) / 4; ++four) at[four] += pairStride;
    b += term.stride;
  }
}

/// Tiles of kRows rows, then of half as many, and so on, until all rows are done.
template <int kRows, int kVectors, class C, class... Terms>
LAMBDA_BFLOAT16_INLINE void multiplyPairRows(
    std::int64_t row, std::int64_t rows, std::int64_t column, const C& c, const Terms&... terms) {
  for (; row + kRows <= rows; row += kRows) {
    __m512 sums[kRows][kVectors];
    c.begin(row, column, sums);
    (addPairs(row, column, terms, sums), ...);
    c.end(row, column, sums);
  }
  if constexpr (kRows > 1) {
    if (row < rows) multiplyPairRows<kRows / 2, kVectors>(row, rows, column, c, terms...);
  }
}

/// C [rows, columns] = the sum of all terms, or what else C does with it. Columns are a multiple of
/// kPairColumns. `kRows`: of a tile four vectors wide.
template <int kRows = 4, class C, class... Terms>
LAMBDA_BFLOAT16 __attribute__((noinline)) void multiplyPairsTo(std::int64_t rows,
                                                               std::int64_t columns,
                                                               const C& c,
                                                               const Terms&... terms) {
  std::int64_t column = 0;
  for (; column + 4 * kPairColumns <= columns; column += 4 * kPairColumns)
    multiplyPairRows<kRows, 4>(0, rows, column, c, terms...);
  for (; column + 2 * kPairColumns <= columns; column += 2 * kPairColumns)
    multiplyPairRows<8, 2>(0, rows, column, c, terms...);
  for (; column < columns; column += kPairColumns)
    multiplyPairRows<16, 1>(0, rows, column, c, terms...);
}

/// C = the sum of all terms, added to C if `adds`.
template <int kRows = 4, class... Terms>
LAMBDA_BFLOAT16_INLINE void sumPairs(
    bool adds, std::int64_t rows, std::int64_t columns, const PairSums& c, const Terms&... terms) {
  if (adds) {
    multiplyPairsTo<kRows>(rows, columns, SumRows<true>{c.base, c.stride}, terms...);
  } else {
    multiplyPairsTo<kRows>(rows, columns, SumRows<false>{c.base, c.stride}, terms...);
  }
}

}  // namespace lambda

#endif
