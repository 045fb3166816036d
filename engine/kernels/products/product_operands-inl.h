// Small types that describe where the rows, columns and depth of a small matrix lie in memory, so
// that one kernel multiplies matrices with even rows, listed rows or transposed ones. A and B are
// the factors, C is the result; the depth is the index that is summed over. Included once for each
// instruction set.

#if defined(LAMBDA_PRODUCT_OPERANDS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LAMBDA_PRODUCT_OPERANDS_INL_H_
#undef LAMBDA_PRODUCT_OPERANDS_INL_H_
#else
#define LAMBDA_PRODUCT_OPERANDS_INL_H_
#endif

#include <type_traits>

#include "engine/kernels/fetch_ahead.h"
#include "engine/kernels/vectors-inl.h"

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {
namespace {

using Offset = Index;

// ---- strides ----

/// A stride that is known when compiling: all rows are reached from one pointer.
template <int kStride>
struct Fixed {
  HWY_INLINE constexpr operator Offset() const { return kStride; }
};

/// A stride that is known at run time.
struct Even {
  HWY_INLINE Even(Offset apart) : stride(apart) {}

  HWY_INLINE operator Offset() const { return stride; }

  Offset stride;
};

/// The type in which an operand keeps a stride: Even for a plain number.
template <class Stride>
using StrideOf = std::conditional_t<std::is_same_v<Stride, Offset>, Even, Stride>;

/// Calls `work` with a number, as Fixed if it is one of kCommon, otherwise as Even. Builds with
/// sanitizers have no copies of the work for common numbers: they would take minutes to compile.
template <int... kCommon, class Work>
HWY_INLINE void withFixed(Offset number, const Work& work) {
#ifdef LAMBDA_SANITIZED
  work(Even(number));
#else
  const bool isCommon = ((number == kCommon && (work(Fixed<kCommon>()), true)) || ...);
  if (!isCommon) work(Even(number));
#endif
}

/// A depth of runs that are equally long. A passes through them without gaps; B has RowsInRuns.
struct Runs {
  HWY_INLINE operator Offset() const { return count * length; }

  Offset count;
  Offset length;
};

// ---- A: rows are outputs, depth is summed over ----
//
// A tile of rows moves along the depth step by step, with few pointers: more than a handful would
// not fit the registers, and an address with an index register costs an extra instruction.

/// The present values of kRows rows that lie a stride apart. Four rows share a pointer, or all rows
/// if the stride is Fixed.
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

/// A as rows: they lie a stride apart, and the values of a row are successive.
template <class Stride>
struct DepthInRow {
  template <int kRows>
  struct Tile : RowPointers<kRows, Stride> {
    Tile(const DepthInRow& a, Offset first)
        : RowPointers<kRows, Stride>(a.base + first * a.stride, a.stride) {}
  };

  /// The same from a depth on.
  HWY_INLINE DepthInRow from(Offset depth) const { return {base + depth, stride}; }

  const float* base;
  Stride stride;
};

template <class Stride>
DepthInRow(const float*, Stride) -> DepthInRow<StrideOf<Stride>>;

/// A as listed rows. Where more than 8 are in a tile, they are a multiple of 4: each four rows may
/// lie anywhere, and within a four they lie a stride apart.
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

    // Tiles of few rows need not begin at a multiple of 4.
    static constexpr int kApart = kRows > 8 ? 4 : 1;
    static constexpr int kPointers = kRows / kApart;
    const float* pointers[kPointers];
    Stride stride;
  };

  const float* base;
  Stride stride;
  const Offset* offsets;  ///< One for each row.
};

template <class Stride>
DepthInListedRows(const float*, Stride, const Offset*) -> DepthInListedRows<Stride>;

/// A transposed: the values of one depth are successive, and depths lie a stride apart.
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

  /// The same from a depth on.
  HWY_INLINE RowInDepth from(Offset depth) const { return {base + depth * stride, stride}; }

  const float* base;
  Stride stride;
};

template <class Stride>
RowInDepth(const float*, Stride) -> RowInDepth<StrideOf<Stride>>;

/// A transposed, with depths that may lie anywhere.
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

// ---- B: one row for each depth, vectors along its columns ----

/// B with rows that lie a stride apart.
template <class Stride>
struct EvenRows {
  HWY_INLINE const float* row(Offset depth) const { return base + depth * stride; }

  HWY_INLINE Offset column(Offset vector) const { return vector * lanes(); }

  const float* base;
  Stride stride;
};

template <class Stride>
EvenRows(const float*, Stride) -> EvenRows<StrideOf<Stride>>;

/// B with rows that lie a stride apart, and vectors of columns that may lie anywhere.
struct ListedVectors {
  HWY_INLINE const float* row(Offset depth) const { return base + depth * stride; }

  HWY_INLINE Offset column(Offset vector) const { return offsets[vector]; }

  const float* base;
  Offset stride;
  const Offset* offsets;  ///< One for each vector of columns.
};

/// B with rows that may lie anywhere.
struct ListedRows {
  HWY_INLINE const float* row(Offset depth) const { return base + offsets[depth]; }

  HWY_INLINE Offset column(Offset vector) const { return vector * lanes(); }

  const float* base;
  const Offset* offsets;
};

/// B in runs of rows that lie a stride apart.
template <class Stride>
struct RowsInRuns {
  HWY_INLINE EvenRows<Stride> run(Offset number) const { return {base + number * apart, stride}; }

  HWY_INLINE Offset column(Offset vector) const { return vector * lanes(); }

  const float* base;
  Stride stride;
  Offset apart;  ///< From run to run.
};

template <class Stride>
RowsInRuns(const float*, Stride, Offset) -> RowsInRuns<StrideOf<Stride>>;

// ---- C: the result ----

/// C with rows that lie a stride apart.
struct Rows {
  HWY_INLINE float* row(Offset r) const { return base + r * stride; }

  float* base;
  Offset stride;
};

/// C with rows that may lie anywhere.
struct ScatteredRows {
  HWY_INLINE float* row(Offset r) const { return base + offsets[r]; }

  float* base;
  const Offset* offsets;
};

/// C as Rows, where each row that a tile takes also fetches `lines` lines of other memory.
struct FetchingRows {
  HWY_INLINE float* row(Offset r) const {
    for (int line = 0; line < lines; ++line) ahead->next();
    return base + r * stride;
  }

  float* base;
  Offset stride;
  FetchAhead* ahead;
  int lines = 2;
};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#endif  // LAMBDA_PRODUCT_OPERANDS_INL_H_
