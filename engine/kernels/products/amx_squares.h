#pragma once

// Products by AMX in squares of 2 x 2 tiles of C. Four tiles of operands serve four products, where
// a row of four tiles of C (amx_products.h) takes five, so that long sums are faster. x86 only.

#include "engine/kernels/products/amx_products.h"

#if defined(__x86_64__)

namespace lambda {

/// Tiles 0 to 3 are C, row by row, 4 and 5 are A, 6 and 7 are B.
inline constexpr AmxConfiguration kAmxSquare{.bytesPerRow = {64, 64, 64, 64, 64, 64, 64, 64},
                                             .rows = {16, 16, 16, 16, 16, 16, 16, 16}};

inline constexpr std::int64_t kSquareColumns = 2 * kAmxColumns;

/// Values of B in one step of a square's sum.
inline constexpr std::int64_t kSquareStep = kAmxPairs * kSquareColumns * 2;

/// An operand A of one or two tiles of rows, [rows, steps, kAmxPairs, 2].
struct SquareRows {
  const Bfloat16* tiles[2] = {};  ///< The first values of both tiles.
  std::int64_t rowStride = 0;     ///< In values, as `step` is.
  std::int64_t step = 2 * kAmxPairs;
};

/// A square of C, or its upper half.
template <int kRowTiles>
struct AmxSquare {
  LAMBDA_AMX_INLINE static void zero() {
    _tile_zero(0);
    _tile_zero(1);
    if constexpr (kRowTiles > 1) _tile_zero(2);
    if constexpr (kRowTiles > 1) _tile_zero(3);
  }

  LAMBDA_AMX_INLINE static void load(const float* from, std::int64_t stride) {
    const auto bytes = static_cast<std::size_t>(stride) * sizeof(float);
    _tile_loadd(0, from, bytes);
    _tile_loadd(1, from + kAmxColumns, bytes);
    if constexpr (kRowTiles > 1) {
      const float* lower = from + kAmxRows * stride;
      _tile_loadd(2, lower, bytes);
      _tile_loadd(3, lower + kAmxColumns, bytes);
    }
  }

  LAMBDA_AMX_INLINE static void store(float* to, std::int64_t stride) {
    const auto bytes = static_cast<std::size_t>(stride) * sizeof(float);
    _tile_stored(0, to, bytes);
    _tile_stored(1, to + kAmxColumns, bytes);
    if constexpr (kRowTiles > 1) {
      float* lower = to + kAmxRows * stride;
      _tile_stored(2, lower, bytes);
      _tile_stored(3, lower + kAmxColumns, bytes);
    }
  }

  /// Adds A B, B [steps, kAmxPairs, kSquareColumns, 2].
  LAMBDA_AMX_INLINE static void add(const SquareRows& a, const Bfloat16* b, std::int64_t steps) {
    constexpr std::size_t kBytes = 2 * kSquareColumns * sizeof(Bfloat16);
    const auto aBytes = static_cast<std::size_t>(a.rowStride) * sizeof(Bfloat16);
    const Bfloat16 *upper = a.tiles[0], *lower = a.tiles[1];
    for (std::int64_t i = 0; i < steps; ++i) {
      _tile_loadd(4, upper + i * a.step, aBytes);
      _tile_loadd(6, b + i * kSquareStep, kBytes);
      _tile_dpbf16ps(0, 4, 6);
      _tile_loadd(7, b + i * kSquareStep + 2 * kAmxColumns, kBytes);
      _tile_dpbf16ps(1, 4, 7);
      if constexpr (kRowTiles > 1) {
        _tile_loadd(5, lower + i * a.step, aBytes);
        _tile_dpbf16ps(2, 5, 6);
        _tile_dpbf16ps(3, 5, 7);
      }
    }
  }
};

}  // namespace lambda

#endif
