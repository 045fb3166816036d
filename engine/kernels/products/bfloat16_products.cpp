#include "engine/kernels/products/bfloat16_products.h"

#include "engine/kernels/unroll.h"

#if defined(__x86_64__)

#include <cstring>

#include <immintrin.h>

// Attributes instead of options of the compiler: with these, functions that this file shares with
// others would have the instructions too.
#define LAMBDA_BFLOAT16 __attribute__((target("avx512f,avx512bw,avx512vl,avx512bf16")))

namespace lambda {

namespace {

/// A tile of C in registers.
template <int kRows, int kVectors>
LAMBDA_BFLOAT16 inline void multiplyTile(std::int64_t columns,
                                         std::int64_t pairs,
                                         const PairRows& a,
                                         const Bfloat16* b,
                                         bool adds,
                                         float* c,
                                         std::int64_t stride) {
  __m512 sums[kRows][kVectors];
  LAMBDA_UNROLL(16)
  for (int r = 0; r < kRows; ++r) {
    LAMBDA_UNROLL(4)
    for (int j = 0; j < kVectors; ++j) {
      sums[r][j] = adds ? _mm512_loadu_ps(c + r * stride + j * kPairColumns) : _mm512_setzero_ps();
    }
  }
  const Bfloat16* at = a.base;
  for (std::int64_t pair = 0; pair < pairs; ++pair) {
    __m512i factors[kVectors];
    LAMBDA_UNROLL(4)
    for (int j = 0; j < kVectors; ++j) factors[j] = _mm512_loadu_si512(b + 2 * j * kPairColumns);
    LAMBDA_UNROLL(16)
    for (int r = 0; r < kRows; ++r) {
      int pairOfRow;
      std::memcpy(&pairOfRow, at + r * a.rowStride, sizeof(pairOfRow));
      const __m512i value = _mm512_set1_epi32(pairOfRow);
      LAMBDA_UNROLL(4)
      for (int j = 0; j < kVectors; ++j) {
        sums[r][j] = _mm512_dpbf16_ps(
            sums[r][j], reinterpret_cast<__m512bh>(value), reinterpret_cast<__m512bh>(factors[j]));
      }
    }
    at += a.pairStride;
    b += 2 * columns;
  }
  LAMBDA_UNROLL(16)
  for (int r = 0; r < kRows; ++r) {
    LAMBDA_UNROLL(4)
    for (int j = 0; j < kVectors; ++j)
      _mm512_storeu_ps(c + r * stride + j * kPairColumns, sums[r][j]);
  }
}

/// Tiles of kRows rows, then of half as many, and so on, until all rows are done.
template <int kRows, int kVectors>
LAMBDA_BFLOAT16 void multiplyRows(std::int64_t row,
                                  std::int64_t rows,
                                  std::int64_t columns,
                                  std::int64_t pairs,
                                  const PairRows& a,
                                  const Bfloat16* b,
                                  bool adds,
                                  float* c,
                                  std::int64_t stride) {
  for (; row + kRows <= rows; row += kRows) {
    multiplyTile<kRows, kVectors>(columns,
                                  pairs,
                                  {a.base + row * a.rowStride, a.rowStride, a.pairStride},
                                  b,
                                  adds,
                                  c + row * stride,
                                  stride);
  }
  if constexpr (kRows > 1) {
    if (row < rows)
      multiplyRows<kRows / 2, kVectors>(row, rows, columns, pairs, a, b, adds, c, stride);
  }
}

}  // namespace

bool hasBfloat16Products() {
  return __builtin_cpu_supports("avx512bf16") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vl");
}

LAMBDA_BFLOAT16 void multiplyPairs(std::int64_t rows,
                                   std::int64_t columns,
                                   std::int64_t pairs,
                                   const PairRows& a,
                                   const Bfloat16* b,
                                   bool adds,
                                   float* c,
                                   std::int64_t stride) {
  std::int64_t column = 0;
  for (; column + 4 * kPairColumns <= columns; column += 4 * kPairColumns)
    multiplyRows<6, 4>(0, rows, columns, pairs, a, b + 2 * column, adds, c + column, stride);
  for (; column + 2 * kPairColumns <= columns; column += 2 * kPairColumns)
    multiplyRows<8, 2>(0, rows, columns, pairs, a, b + 2 * column, adds, c + column, stride);
  for (; column < columns; column += kPairColumns)
    multiplyRows<16, 1>(0, rows, columns, pairs, a, b + 2 * column, adds, c + column, stride);
}

LAMBDA_BFLOAT16 void roundToBfloat16(const float* from, std::int64_t count, Bfloat16* to) {
  for (std::int64_t i = 0; i < count; i += kPairColumns) {
    const __m256bh rounded = _mm512_cvtneps_pbh(_mm512_loadu_ps(from + i));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i), reinterpret_cast<__m256i>(rounded));
  }
}

LAMBDA_BFLOAT16 void pairRows(const Bfloat16* first,
                              const Bfloat16* second,
                              std::int64_t count,
                              Bfloat16* to) {
  // With a mask, because GCC warns about the unused argument of the form without.
  constexpr __mmask16 kAll = 0xFFFF;
  for (std::int64_t i = 0; i < count; i += kPairColumns) {
    __m512i pairs = _mm512_maskz_cvtepu16_epi32(
        kAll, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(first + i)));
    if (second) {
      const __m512i upper = _mm512_maskz_cvtepu16_epi32(
          kAll, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(second + i)));
      pairs = _mm512_or_si512(pairs, _mm512_maskz_slli_epi32(kAll, upper, 16));
    }
    _mm512_storeu_si512(to + 2 * i, pairs);
  }
}

}  // namespace lambda

#else

namespace lambda {

bool hasBfloat16Products() {
  return false;
}

void multiplyPairs(std::int64_t,
                   std::int64_t,
                   std::int64_t,
                   const PairRows&,
                   const Bfloat16*,
                   bool,
                   float*,
                   std::int64_t) {}

void roundToBfloat16(const float*, std::int64_t, Bfloat16*) {}

void pairRows(const Bfloat16*, const Bfloat16*, std::int64_t, Bfloat16*) {}

}  // namespace lambda

#endif
