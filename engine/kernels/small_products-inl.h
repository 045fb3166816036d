// Products of small matrices in caches, C = A B or C += A B, vectors along the columns of B and C.
// Where rows, columns and depth lie in memory is said by small types, so that one kernel serves
// matrices that are rows, lists of rows or transposed. Included once for each instruction set.

#if defined(LAMBDA_SMALL_PRODUCTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LAMBDA_SMALL_PRODUCTS_INL_H_
#undef LAMBDA_SMALL_PRODUCTS_INL_H_
#else
#define LAMBDA_SMALL_PRODUCTS_INL_H_
#endif

#include <algorithm>
#include <cstdint>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Vector = hn::Vec<Floats>;
using Offset = std::int64_t;

/// Half of the registers sum up; the others hold what is multiplied.
constexpr bool kHasManyRegisters = HWY_TARGET <= HWY_AVX3;

// ---- A: rows are outputs, depth is summed over ----
//
// A tile of rows is reached through few pointers: one for each four rows, which lie a stride apart.
// Sixteen pointers would not fit the registers.

/// Rows lie a stride apart; a row's values follow each other.
struct DepthInRow {
  template <int kRows>
  struct Tile {
    Tile(const DepthInRow& a, Offset first) : stride(a.stride) {
      for (int four = 0; four * 4 < kRows; ++four)
        fours[four] = a.base + (first + four * 4) * a.stride;
    }

    HWY_INLINE void to(Offset depth) { at = depth; }

    HWY_INLINE float operator[](int r) const { return fours[r / 4][at + (r % 4) * stride]; }

    const float* fours[(kRows + 3) / 4];
    Offset stride;
    Offset at = 0;
  };

  const float* base;
  Offset stride;
};

/// Rows in fours that lie anywhere, the rows of each a stride apart. Rows are a multiple of 4.
struct DepthInListedFours {
  template <int kRows>
  struct Tile {
    Tile(const DepthInListedFours& a, Offset first) : stride(a.stride) {
      for (int four = 0; four * 4 < kRows; ++four)
        fours[four] = a.base + a.offsets[first / 4 + four];
    }

    HWY_INLINE void to(Offset depth) { at = depth; }

    HWY_INLINE float operator[](int r) const { return fours[r / 4][at + (r % 4) * stride]; }

    const float* fours[(kRows + 3) / 4];
    Offset stride;
    Offset at = 0;
  };

  const float* base;
  Offset stride;
  const Offset* offsets;
};

/// A transposed: the values of one depth follow each other, depths lie a stride apart.
struct RowInDepth {
  template <int kRows>
  struct Tile {
    Tile(const RowInDepth& a, Offset first) : base(a.base + first), stride(a.stride) {}

    HWY_INLINE void to(Offset depth) { at = base + depth * stride; }

    HWY_INLINE float operator[](int r) const { return at[r]; }

    const float* base;
    Offset stride;
    const float* at = nullptr;
  };

  const float* base;
  Offset stride;
};

/// The same, depths lying anywhere.
struct RowInListedDepth {
  template <int kRows>
  struct Tile {
    Tile(const RowInListedDepth& a, Offset first) : base(a.base + first), offsets(a.offsets) {}

    HWY_INLINE void to(Offset depth) { at = base + offsets[depth]; }

    HWY_INLINE float operator[](int r) const { return at[r]; }

    const float* base;
    const Offset* offsets;
    const float* at = nullptr;
  };

  const float* base;
  const Offset* offsets;
};

// ---- B: a row a depth, vectors along its columns ----

struct EvenRows {
  HWY_INLINE const float* row(Offset depth) const { return base + depth * stride; }

  HWY_INLINE Offset column(Offset vector) const {
    return vector * static_cast<Offset>(hn::Lanes(Floats()));
  }

  const float* base;
  Offset stride;
};

struct ListedRows {
  HWY_INLINE const float* row(Offset depth) const { return base + offsets[depth]; }

  HWY_INLINE Offset column(Offset vector) const {
    return vector * static_cast<Offset>(hn::Lanes(Floats()));
  }

  const float* base;
  const Offset* offsets;
};

struct ListedColumns {
  HWY_INLINE const float* row(Offset depth) const { return base + depth * stride; }

  HWY_INLINE Offset column(Offset vector) const { return columns[vector]; }

  const float* base;
  Offset stride;
  const Offset* columns;
};

// ---- C ----

struct Rows {
  HWY_INLINE float* row(Offset r) const { return base + r * stride; }

  float* base;
  Offset stride;
};

struct ScatteredRows {
  HWY_INLINE float* row(Offset r) const { return base + offsets[r]; }

  float* base;
  const Offset* offsets;
};

// ---- the kernel ----

template <int kRows, int kVectors, bool kAdd, class A, class B, class C>
HWY_INLINE void tile(Offset row, Offset vector, Offset depth, const A& a, const B& b, const C& c) {
  const Floats d;
  Vector sums[kRows][kVectors];
  Offset columns[kVectors];
  for (int j = 0; j < kVectors; ++j) columns[j] = b.column(vector + j);
  const Offset lanes = static_cast<Offset>(hn::Lanes(d));
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int j = 0; j < kVectors; ++j) {
      sums[r][j] = kAdd ? hn::LoadU(d, c.row(row + r) + (vector + j) * lanes) : hn::Zero(d);
    }
  }
  typename A::template Tile<kRows> rows(a, row);
  for (Offset k = 0; k < depth; ++k) {
    rows.to(k);
    const float* from = b.row(k);
    Vector factors[kVectors];
#pragma GCC unroll 4
    for (int j = 0; j < kVectors; ++j) factors[j] = hn::LoadU(d, from + columns[j]);
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      const Vector value = hn::Set(d, rows[r]);
#pragma GCC unroll 4
      for (int j = 0; j < kVectors; ++j) sums[r][j] = hn::MulAdd(value, factors[j], sums[r][j]);
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int j = 0; j < kVectors; ++j)
      hn::StoreU(sums[r][j], d, c.row(row + r) + (vector + j) * lanes);
  }
}

template <int kRows, int kVectors, bool kAdd, class A, class B, class C>
HWY_INLINE void tilesOfRows(
    Offset row, Offset rows, Offset vector, Offset depth, const A& a, const B& b, const C& c) {
  for (; row + kRows <= rows; row += kRows)
    tile<kRows, kVectors, kAdd>(row, vector, depth, a, b, c);
  if constexpr (kRows > 1) {
    if (row < rows) tilesOfRows<kRows / 2, kVectors, kAdd>(row, rows, vector, depth, a, b, c);
  }
}

/// C [rows, columns] = A [rows, depth] B [depth, columns], added to C if `kAdd`. Columns are whole
/// vectors.
template <bool kAdd, class A, class B, class C>
HWY_NOINLINE void product(
    Offset rows, Offset columns, Offset depth, const A& a, const B& b, const C& c) {
  const Offset vectors = columns / static_cast<Offset>(hn::Lanes(Floats()));
  Offset vector = 0;
  if constexpr (kHasManyRegisters) {
    for (; vector + 4 <= vectors; vector += 4)
      tilesOfRows<4, 4, kAdd>(0, rows, vector, depth, a, b, c);
    for (; vector + 2 <= vectors; vector += 2)
      tilesOfRows<8, 2, kAdd>(0, rows, vector, depth, a, b, c);
    for (; vector < vectors; ++vector) tilesOfRows<16, 1, kAdd>(0, rows, vector, depth, a, b, c);
  } else {
    for (; vector + 2 <= vectors; vector += 2)
      tilesOfRows<4, 2, kAdd>(0, rows, vector, depth, a, b, c);
    for (; vector < vectors; ++vector) tilesOfRows<8, 1, kAdd>(0, rows, vector, depth, a, b, c);
  }
}

/// To [columns, rows] = from [rows, columns] transposed, rows of each a stride apart.
HWY_INLINE void transpose(
    const float* from, Offset fromStride, Offset rows, Offset columns, float* to, Offset toStride) {
  Offset row = 0;
#if HWY_TARGET != HWY_SCALAR
  const Floats d;
  const Offset lanes = static_cast<Offset>(hn::Lanes(d));
  if (lanes % 4 == 0) {
    for (; row + 4 <= rows; row += 4) {
      const float* at = from + row * fromStride;
      Offset column = 0;
      for (; column + lanes <= columns; column += lanes) {
        // Within each 16 bytes: a 4 x 4 block of the matrix turned.
        const Vector r0 = hn::LoadU(d, at + column);
        const Vector r1 = hn::LoadU(d, at + fromStride + column);
        const Vector r2 = hn::LoadU(d, at + 2 * fromStride + column);
        const Vector r3 = hn::LoadU(d, at + 3 * fromStride + column);
        const Vector low02 = hn::InterleaveLower(d, r0, r2),
                     high02 = hn::InterleaveUpper(d, r0, r2);
        const Vector low13 = hn::InterleaveLower(d, r1, r3),
                     high13 = hn::InterleaveUpper(d, r1, r3);
        alignas(HWY_ALIGNMENT) float turned[4][HWY_MAX_BYTES / sizeof(float)];
        hn::Store(hn::InterleaveLower(d, low02, low13), d, turned[0]);
        hn::Store(hn::InterleaveUpper(d, low02, low13), d, turned[1]);
        hn::Store(hn::InterleaveLower(d, high02, high13), d, turned[2]);
        hn::Store(hn::InterleaveUpper(d, high02, high13), d, turned[3]);
        for (Offset i = 0; i < lanes; ++i)
          std::copy_n(turned[i % 4] + i / 4 * 4, 4, to + (column + i) * toStride + row);
      }
      for (; column < columns; ++column) {
        for (Offset i = 0; i < 4; ++i)
          to[column * toStride + row + i] = at[i * fromStride + column];
      }
    }
  }
#endif
  for (; row < rows; ++row) {
    for (Offset column = 0; column < columns; ++column)
      to[column * toStride + row] = from[row * fromStride + column];
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#endif  // LAMBDA_SMALL_PRODUCTS_INL_H_
