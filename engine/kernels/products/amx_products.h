#pragma once

// Products in bfloat16 with sums in float32 by the matrix unit of Intel's AMX: C = A B, or sums of
// such products. An instruction adds the product of a tile of A, 16 rows of 16 pairs of values, and
// a tile of B, 16 pairs of 16 columns, to a tile of C, 16 rows of 16 columns. As in pair_tiles.h, A
// has the pairs of a row one after another, and B the two values of a pair side by side. Rows and
// columns are multiples of 16, pairs multiples of 8. x86 only.

#include "engine/kernels/products/pair_tiles.h"

#if defined(__x86_64__)

#define LAMBDA_AMX __attribute__((target("avx512f,avx512bw,avx512vl,avx512bf16,amx-tile,amx-bf16")))
#define LAMBDA_AMX_INLINE LAMBDA_AMX __attribute__((always_inline)) inline

namespace lambda {

inline constexpr std::int64_t kAmxRows = 16;     ///< Of a tile.
inline constexpr std::int64_t kAmxColumns = 16;  ///< Of a tile.
inline constexpr std::int64_t kAmxPairs = 16;    ///< Of a tile; half a tile has 8.

/// The sizes of the unit's tiles, as its instruction reads them.
struct alignas(64) AmxConfiguration {
  std::uint8_t palette = 1;
  std::uint8_t startRow = 0;
  std::uint8_t reserved[14] = {};
  std::uint16_t bytesPerRow[16] = {};
  std::uint8_t rows[16] = {};
};

static_assert(sizeof(AmxConfiguration) == 64);

/// For the functions below: tiles 0 to 3 are C, 4 and 6 are A and B, 5 and 7 the same with half as
/// many pairs.
inline constexpr AmxConfiguration kAmxRowOfTiles{.bytesPerRow = {64, 64, 64, 64, 64, 32, 64, 64},
                                                 .rows = {16, 16, 16, 16, 16, 16, 16, 8}};

/// Sets the tiles up, and clears them at its end. That takes as long as a dozen products, so that
/// one serves many. Scopes are not nested, and meanwhile the thread runs nothing else that uses
/// AMX.
class AmxScope {
 public:
  LAMBDA_AMX explicit AmxScope(const AmxConfiguration& configuration = kAmxRowOfTiles) {
    _tile_loadconfig(&configuration);
  }

  LAMBDA_AMX ~AmxScope() { _tile_release(); }

  AmxScope(const AmxScope&) = delete;
  AmxScope& operator=(const AmxScope&) = delete;
};

/// One product A [rows, pairs, 2] times B [pairs, columns, 2]. Strides are in values: of A from row
/// to row, of B from pair to pair.
struct AmxTerm {
  const Bfloat16* a = nullptr;
  std::int64_t aStride = 0;
  const Bfloat16* b = nullptr;
  std::int64_t bStride = 0;
  std::int64_t pairs = 0;
};

/// Successive tiles of C in one row of tiles. The instructions name their tiles.
template <int kTiles>
struct AmxTiles {
  LAMBDA_AMX_INLINE static void zero() {
    _tile_zero(0);
    if constexpr (kTiles > 1) _tile_zero(1);
    if constexpr (kTiles > 2) _tile_zero(2);
    if constexpr (kTiles > 3) _tile_zero(3);
  }

  LAMBDA_AMX_INLINE static void load(const float* from, std::int64_t stride) {
    const auto bytes = static_cast<std::size_t>(stride) * sizeof(float);
    _tile_loadd(0, from, bytes);
    if constexpr (kTiles > 1) _tile_loadd(1, from + kAmxColumns, bytes);
    if constexpr (kTiles > 2) _tile_loadd(2, from + 2 * kAmxColumns, bytes);
    if constexpr (kTiles > 3) _tile_loadd(3, from + 3 * kAmxColumns, bytes);
  }

  LAMBDA_AMX_INLINE static void store(float* to, std::int64_t stride) {
    const auto bytes = static_cast<std::size_t>(stride) * sizeof(float);
    _tile_stored(0, to, bytes);
    if constexpr (kTiles > 1) _tile_stored(1, to + kAmxColumns, bytes);
    if constexpr (kTiles > 2) _tile_stored(2, to + 2 * kAmxColumns, bytes);
    if constexpr (kTiles > 3) _tile_stored(3, to + 3 * kAmxColumns, bytes);
  }

  /// Adds the product's tiles at a row and a column.
  LAMBDA_AMX_INLINE static void add(std::int64_t row, std::int64_t column, const AmxTerm& term) {
    const auto aBytes = static_cast<std::size_t>(term.aStride) * sizeof(Bfloat16);
    const auto bBytes = static_cast<std::size_t>(term.bStride) * sizeof(Bfloat16);
    const Bfloat16* a = term.a + row * term.aStride;
    const Bfloat16* b = term.b + 2 * column;
    std::int64_t pairs = term.pairs;
    for (; pairs >= kAmxPairs; pairs -= kAmxPairs) {
      _tile_loadd(4, a, aBytes);
      _tile_loadd(6, b, bBytes);
      _tile_dpbf16ps(0, 4, 6);
      if constexpr (kTiles > 1) {
        _tile_loadd(6, b + 2 * kAmxColumns, bBytes);
        _tile_dpbf16ps(1, 4, 6);
      }
      if constexpr (kTiles > 2) {
        _tile_loadd(6, b + 4 * kAmxColumns, bBytes);
        _tile_dpbf16ps(2, 4, 6);
      }
      if constexpr (kTiles > 3) {
        _tile_loadd(6, b + 6 * kAmxColumns, bBytes);
        _tile_dpbf16ps(3, 4, 6);
      }
      a += 2 * kAmxPairs;
      b += kAmxPairs * term.bStride;
    }
    if (pairs == 0) return;
    _tile_loadd(5, a, aBytes);
    _tile_loadd(7, b, bBytes);
    _tile_dpbf16ps(0, 5, 7);
    if constexpr (kTiles > 1) {
      _tile_loadd(7, b + 2 * kAmxColumns, bBytes);
      _tile_dpbf16ps(1, 5, 7);
    }
    if constexpr (kTiles > 2) {
      _tile_loadd(7, b + 4 * kAmxColumns, bBytes);
      _tile_dpbf16ps(2, 5, 7);
    }
    if constexpr (kTiles > 3) {
      _tile_loadd(7, b + 6 * kAmxColumns, bBytes);
      _tile_dpbf16ps(3, 5, 7);
    }
  }
};

/// C in float32, rows a stride apart. Written, or added to if `kAdd`.
template <bool kAdd>
struct AmxSums {
  /// Whether C may have an odd number of tiles in a row.
  static constexpr bool kTakesOneTile = true;

  float* base = nullptr;
  std::int64_t stride = 0;

  template <int kTiles>
  LAMBDA_AMX_INLINE void begin(std::int64_t row, std::int64_t column) const {
    if constexpr (kAdd) {
      AmxTiles<kTiles>::load(base + row * stride + column, stride);
    } else {
      AmxTiles<kTiles>::zero();
    }
  }

  template <int kTiles>
  LAMBDA_AMX_INLINE void end(std::int64_t row, std::int64_t column) const {
    AmxTiles<kTiles>::store(base + row * stride + column, stride);
  }
};

/// The tiles of C, row by row.
template <int kTiles>
struct AmxScratch {
  static constexpr std::int64_t kStride = kTiles * kAmxColumns;

  LAMBDA_AMX_INLINE AmxScratch() { AmxTiles<kTiles>::store(values, kStride); }

  LAMBDA_AMX_INLINE __m512 vector(std::int64_t row, std::int64_t tile) const {
    return _mm512_load_ps(values + row * kStride + tile * kAmxColumns);
  }

  alignas(64) float values[kAmxRows * kStride];
};

/// C rounded to bfloat16, as the operand of another product: row by row, in pairs of rows, or both.
/// Columns are a multiple of 32.
template <bool kInRows, bool kInPairs>
struct AmxRounded {
  static constexpr bool kTakesOneTile = false;

  Bfloat16* rows = nullptr;  ///< [rows, columns]
  const std::int64_t* rowOffsets = nullptr;
  Bfloat16* pairs = nullptr;  ///< [rows / 2, columns, 2]
  const std::int64_t* pairOffsets = nullptr;

  template <int kTiles>
  LAMBDA_AMX_INLINE void begin(std::int64_t, std::int64_t) const {
    AmxTiles<kTiles>::zero();
  }

  template <int kTiles>
  LAMBDA_AMX_INLINE void end(std::int64_t row, std::int64_t column) const {
    static_assert(kTiles % 2 == 0);
    const AmxScratch<kTiles> sums;
    // From the values of two rows, first the pairs of their first 16 columns, then the others.
    const __m512i lower = _mm512_set_epi16(47,
                                           15,
                                           46,
                                           14,
                                           45,
                                           13,
                                           44,
                                           12,
                                           43,
                                           11,
                                           42,
                                           10,
                                           41,
                                           9,
                                           40,
                                           8,
                                           39,
                                           7,
                                           38,
                                           6,
                                           37,
                                           5,
                                           36,
                                           4,
                                           35,
                                           3,
                                           34,
                                           2,
                                           33,
                                           1,
                                           32,
                                           0);
    const __m512i upper = _mm512_add_epi16(lower, _mm512_set1_epi16(16));
    LAMBDA_UNROLL(8)
    for (std::int64_t r = 0; r < kAmxRows; r += 2) {
      LAMBDA_UNROLL(2)
      for (int j = 0; j < kTiles; j += 2) {
        const __m512i first = rounded(sums.vector(r, j), sums.vector(r, j + 1));
        const __m512i second = rounded(sums.vector(r + 1, j), sums.vector(r + 1, j + 1));
        const std::int64_t at = column + j * kAmxColumns;
        if constexpr (kInRows) {
          _mm512_storeu_si512(rows + rowOffsets[row + r] + at, first);
          _mm512_storeu_si512(rows + rowOffsets[row + r + 1] + at, second);
        }
        if constexpr (kInPairs) {
          Bfloat16* to = pairs + pairOffsets[(row + r) / 2] + 2 * at;
          _mm512_storeu_si512(to, _mm512_permutex2var_epi16(first, lower, second));
          _mm512_storeu_si512(to + 32, _mm512_permutex2var_epi16(first, upper, second));
        }
      }
    }
  }
};

/// Transposes a matrix of 16 x 16 values of 32 bits: squares of two values, then of four, in each
/// quarter of the vectors, then the quarters. 0x88 takes the even quarters of two vectors, 0xDD the
/// odd ones.
LAMBDA_AMX_INLINE void transpose(__m512i (&rows)[16]) {
  __m512i other[16];
  LAMBDA_UNROLL(8)
  for (int i = 0; i < 16; i += 2) {
    other[i] = _mm512_maskz_unpacklo_epi32(kAllLanes, rows[i], rows[i + 1]);
    other[i + 1] = _mm512_maskz_unpackhi_epi32(kAllLanes, rows[i], rows[i + 1]);
  }
  LAMBDA_UNROLL(4)
  for (int i = 0; i < 16; i += 4) {
    rows[i] = _mm512_maskz_unpacklo_epi64(0xFF, other[i], other[i + 2]);
    rows[i + 1] = _mm512_maskz_unpackhi_epi64(0xFF, other[i], other[i + 2]);
    rows[i + 2] = _mm512_maskz_unpacklo_epi64(0xFF, other[i + 1], other[i + 3]);
    rows[i + 3] = _mm512_maskz_unpackhi_epi64(0xFF, other[i + 1], other[i + 3]);
  }
  LAMBDA_UNROLL(4)
  for (int i = 0; i < 4; ++i) {
    other[i] = _mm512_maskz_shuffle_i32x4(kAllLanes, rows[i], rows[i + 4], 0x88);
    other[i + 4] = _mm512_maskz_shuffle_i32x4(kAllLanes, rows[i], rows[i + 4], 0xDD);
    other[i + 8] = _mm512_maskz_shuffle_i32x4(kAllLanes, rows[i + 8], rows[i + 12], 0x88);
    other[i + 12] = _mm512_maskz_shuffle_i32x4(kAllLanes, rows[i + 8], rows[i + 12], 0xDD);
  }
  LAMBDA_UNROLL(8)
  for (int i = 0; i < 8; ++i) {
    rows[i] = _mm512_maskz_shuffle_i32x4(kAllLanes, other[i], other[i + 8], 0x88);
    rows[i + 8] = _mm512_maskz_shuffle_i32x4(kAllLanes, other[i], other[i + 8], 0xDD);
  }
}

/// Writes [rows, columns] of 32 bits, pairs or floats, as [columns, rows]. Rows are a multiple of
/// 16, columns of 8. Strides are in values of 32 bits.
LAMBDA_AMX inline void transposeAll(const void* from,
                                    std::int64_t fromStride,
                                    std::int64_t rows,
                                    std::int64_t columns,
                                    void* to,
                                    std::int64_t toStride) {
  const auto* source = static_cast<const std::int32_t*>(from);
  auto* target = static_cast<std::int32_t*>(to);
  for (std::int64_t row = 0; row < rows; row += 16) {
    for (std::int64_t column = 0; column < columns; column += 16) {
      const std::int64_t count = columns - column < 16 ? 8 : 16;
      const auto lanes = static_cast<__mmask16>(count == 16 ? 0xFFFF : 0xFF);
      __m512i values[16];
      LAMBDA_UNROLL(16)
      for (int i = 0; i < 16; ++i)
        values[i] = _mm512_maskz_loadu_epi32(lanes, source + (row + i) * fromStride + column);
      transpose(values);
      LAMBDA_UNROLL(16)
      for (int i = 0; i < 16; ++i) {
        if (i < count) _mm512_storeu_si512(target + (column + i) * toStride + row, values[i]);
      }
    }
  }
}

/// The columns of C, in float32, are added to rows at any places.
struct AmxScatteredColumns {
  static constexpr bool kTakesOneTile = true;

  float* base = nullptr;
  const std::int64_t* offsets = nullptr;  ///< Of the row of each column.
  std::int64_t columns = 0;               ///< The others are padding.

  template <int kTiles>
  LAMBDA_AMX_INLINE void begin(std::int64_t, std::int64_t) const {
    AmxTiles<kTiles>::zero();
  }

  template <int kTiles>
  LAMBDA_AMX_INLINE void end(std::int64_t row, std::int64_t column) const {
    const AmxScratch<kTiles> sums;
    for (int j = 0; j < kTiles; ++j) {
      const std::int64_t first = column + j * kAmxColumns;
      const std::int64_t count = columns - first < kAmxColumns ? columns - first : kAmxColumns;
      __m512i values[16];
      LAMBDA_UNROLL(16)
      for (int i = 0; i < 16; ++i) values[i] = _mm512_castps_si512(sums.vector(i, j));
      transpose(values);
      LAMBDA_UNROLL(16)
      for (int i = 0; i < 16; ++i) {
        if (i >= count) break;
        float* to = base + offsets[first + i] + row;
        _mm512_storeu_ps(to, _mm512_add_ps(_mm512_loadu_ps(to), _mm512_castsi512_ps(values[i])));
      }
    }
  }
};

template <int kTiles, class C, class... Terms>
LAMBDA_AMX_INLINE void multiplyAmxRows(std::int64_t rows,
                                       std::int64_t column,
                                       const C& c,
                                       const Terms&... terms) {
  for (std::int64_t row = 0; row < rows; row += kAmxRows) {
    c.template begin<kTiles>(row, column);
    (AmxTiles<kTiles>::add(row, column, terms), ...);
    c.template end<kTiles>(row, column);
  }
}

/// C [rows, columns] = the sum of all terms, or what else C does with it. Within an AmxScope.
template <class C, class... Terms>
LAMBDA_AMX __attribute__((noinline)) void multiplyAmx(std::int64_t rows,
                                                      std::int64_t columns,
                                                      const C& c,
                                                      const Terms&... terms) {
  // GCC does not know that the instructions for loads read memory, and would drop what was written
  // for them alone.
  asm volatile("" ::: "memory");
  std::int64_t column = 0;
  for (; column + 4 * kAmxColumns <= columns; column += 4 * kAmxColumns)
    multiplyAmxRows<4>(rows, column, c, terms...);
  for (; column + 2 * kAmxColumns <= columns; column += 2 * kAmxColumns)
    multiplyAmxRows<2>(rows, column, c, terms...);
  if constexpr (C::kTakesOneTile) {
    if (column < columns) multiplyAmxRows<1>(rows, column, c, terms...);
  }
}

/// C = the sum of all terms, added to C if `adds`.
template <class... Terms>
LAMBDA_AMX_INLINE void sumAmx(
    bool adds, std::int64_t rows, std::int64_t columns, const PairSums& c, const Terms&... terms) {
  if (adds) {
    multiplyAmx(rows, columns, AmxSums<true>{c.base, c.stride}, terms...);
  } else {
    multiplyAmx(rows, columns, AmxSums<false>{c.base, c.stride}, terms...);
  }
}

}  // namespace lambda

#endif
