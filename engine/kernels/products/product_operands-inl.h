// Where the rows, columns and depth of small matrices lie in memory, said by small types, so that
// one kernel serves matrices that are rows, lists of rows or transposed. Included once for each
// instruction set.

#if defined(LAMBDA_PRODUCT_OPERANDS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LAMBDA_PRODUCT_OPERANDS_INL_H_
#undef LAMBDA_PRODUCT_OPERANDS_INL_H_
#else
#define LAMBDA_PRODUCT_OPERANDS_INL_H_
#endif

#include <type_traits>

#include "engine/kernels/vectors-inl.h"

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {
namespace {

using Offset = Index;

// ---- strides ----

/// Known while compiling: rows that lie so are reached by one pointer.
template <int kStride>
struct Fixed {
  HWY_INLINE constexpr operator Offset() const { return kStride; }
};

struct Even {
  HWY_INLINE Even(Offset apart) : stride(apart) {}

  HWY_INLINE operator Offset() const { return stride; }

  Offset stride;
};

/// The type that an operand keeps of a stride: numbers are Even.
template <class Stride>
using StrideOf = std::conditional_t<std::is_same_v<Stride, Offset>, Even, Stride>;

/// Calls `work` with a number: Fixed where it is one of kCommon, else Even.
template <int... kCommon, class Work>
HWY_INLINE void withFixed(Offset number, const Work& work) {
  const bool isCommon = ((number == kCommon && (work(Fixed<kCommon>()), true)) || ...);
  if (!isCommon) work(Even(number));
}

/// A depth whose operands lie anywhere, but whole fours of it a stride apart. A multiple of 4.
struct Fours {
  HWY_INLINE operator Offset() const { return depth; }

  Offset depth;
};

// ---- A: rows are outputs, depth is summed over ----
//
// A tile of rows goes through the depth step by step, by few pointers: more than a handful would
// not fit the registers, and an operand with an index costs an instruction of its own.

/// The first values of the rows [first, first + kRows), by as many pointers as the stride asks for.
template <int kRows, class Stride>
struct RowPointers {
  RowPointers(const float* first, Stride strideOfRows) : stride(strideOfRows) {
    for (int four = 0; four * 4 < kRows; ++four) fours[four] = first + four * 4 * stride;
  }

  HWY_INLINE void next() {
    for (const float*& four : fours) ++four;
  }

  HWY_INLINE float operator[](int r) const { return fours[r / 4][(r % 4) * stride]; }

  const float* fours[(kRows + 3) / 4];
  Stride stride;
};

template <int kRows, int kStride>
struct RowPointers<kRows, Fixed<kStride>> {
  RowPointers(const float* first, Fixed<kStride>) : at(first) {}

  HWY_INLINE void next() { ++at; }

  HWY_INLINE float operator[](int r) const { return at[r * kStride]; }

  const float* at;
};

/// Rows lie a stride apart; a row's values follow each other.
template <class Stride>
struct DepthInRow {
  template <int kRows>
  struct Tile : RowPointers<kRows, Stride> {
    Tile(const DepthInRow& a, Offset first)
        : RowPointers<kRows, Stride>(a.base + first * a.stride, a.stride) {}
  };

  HWY_INLINE DepthInRow four(Offset depth) const { return {base + depth, stride}; }

  const float* base;
  Stride stride;
};

template <class Stride>
DepthInRow(const float*, Stride) -> DepthInRow<StrideOf<Stride>>;

/// Rows lie anywhere, but whole fours of them a stride apart. Rows are a multiple of 4.
template <class Stride>
struct DepthInListedRows {
  template <int kRows>
  struct Tile {
    Tile(const DepthInListedRows& a, Offset first) : stride(a.stride) {
      for (int p = 0; p < kPointers; ++p) pointers[p] = a.base + a.offsets[first + p * kApart];
    }

    HWY_INLINE void next() {
      for (const float*& pointer : pointers) ++pointer;
    }

    HWY_INLINE float operator[](int r) const { return pointers[r / kApart][(r % kApart) * stride]; }

    // Tiles of few rows need not begin with a four.
    static constexpr int kApart = kRows > 8 ? 4 : 1;
    static constexpr int kPointers = kRows / kApart;
    const float* pointers[kPointers];
    Stride stride;
  };

  HWY_INLINE DepthInListedRows four(Offset depth) const { return {base + depth, stride, offsets}; }

  const float* base;
  Stride stride;
  const Offset* offsets;  ///< Of every row.
};

template <class Stride>
DepthInListedRows(const float*, Stride, const Offset*) -> DepthInListedRows<Stride>;

/// A transposed: the values of one depth follow each other, depths lie a stride apart.
template <class Stride>
struct RowInDepth {
  template <int kRows>
  struct Tile {
    Tile(const RowInDepth& a, Offset first) : at(a.base + first), stride(a.stride) {}

    HWY_INLINE void next() { at += stride; }

    HWY_INLINE float operator[](int r) const { return at[r]; }

    const float* at;
    Stride stride;
  };

  const float* base;
  Stride stride;
};

template <class Stride>
RowInDepth(const float*, Stride) -> RowInDepth<StrideOf<Stride>>;

/// The same, depths lying anywhere.
struct RowInListedDepth {
  template <int kRows>
  struct Tile {
    Tile(const RowInListedDepth& a, Offset first)
        : base(a.base + first), offset(a.offsets), at(base + *offset) {}

    HWY_INLINE void next() { at = base + *++offset; }

    HWY_INLINE float operator[](int r) const { return at[r]; }

    const float* base;
    const Offset* offset;
    const float* at;
  };

  const float* base;
  const Offset* offsets;
};

/// The same, by fours of depths.
template <class Stride>
struct RowInListedFours {
  HWY_INLINE RowInDepth<Stride> four(Offset depth) const { return {base + offsets[depth], stride}; }

  const float* base;
  Stride stride;
  const Offset* offsets;  ///< Of every depth.
};

template <class Stride>
RowInListedFours(const float*, Stride, const Offset*) -> RowInListedFours<Stride>;

// ---- B: a row a depth, vectors along its columns ----

template <class Stride>
struct EvenRows {
  HWY_INLINE const float* row(Offset depth) const { return base + depth * stride; }

  HWY_INLINE Offset column(Offset vector) const { return vector * lanes(); }

  const float* base;
  Stride stride;
};

template <class Stride>
EvenRows(const float*, Stride) -> EvenRows<StrideOf<Stride>>;

struct ListedRows {
  HWY_INLINE const float* row(Offset depth) const { return base + offsets[depth]; }

  HWY_INLINE Offset column(Offset vector) const { return vector * lanes(); }

  const float* base;
  const Offset* offsets;
};

template <class Stride>
struct ListedFours {
  HWY_INLINE EvenRows<Stride> four(Offset depth) const { return {base + offsets[depth], stride}; }

  const float* base;
  Stride stride;
  const Offset* offsets;  ///< Of every depth.
};

template <class Stride>
ListedFours(const float*, Stride, const Offset*) -> ListedFours<Stride>;

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

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#endif  // LAMBDA_PRODUCT_OPERANDS_INL_H_
