// Products of small matrices that lie in caches: C = A B, C += A B, or sums of such products, with
// vectors along the columns of B and C. A tile of C stays in registers while its depth is summed.
// Included once for each instruction set.

#if defined(LAMBDA_SMALL_PRODUCTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LAMBDA_SMALL_PRODUCTS_INL_H_
#undef LAMBDA_SMALL_PRODUCTS_INL_H_
#else
#define LAMBDA_SMALL_PRODUCTS_INL_H_
#endif

#include <algorithm>

#include "engine/kernels/products/product_operands-inl.h"
#include "engine/kernels/unroll.h"

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {
namespace {

/// Whether the instruction set is AVX-512, which has 32 vector registers. They allow larger tiles
/// of sums; registers for the factors must remain.
constexpr bool kHasManyRegisters = HWY_TARGET <= HWY_AVX3;

/// One product A [rows, depth] times B [depth, columns]. The depth is Even, Fixed or Runs.
template <class A, class B, class Depth>
struct Term {
  A a;
  B b;
  Depth depth;
};

template <class A, class B, class Depth>
Term(A, B, Depth) -> Term<A, B, StrideOf<Depth>>;

/// The number of steps of a depth that is unrolled completely; 0 = a loop. With AVX-512, loops are
/// faster: a tile has enough work in one step.
template <class Depth>
constexpr int kUnrolledDepth = 0;

template <int kDepth>
constexpr int kUnrolledDepth<Fixed<kDepth>> = !kHasManyRegisters && kDepth <= 16 ? kDepth : 0;

/// sums += one column of A times one row of B
template <int kRows, int kVectors, class Tile>
HWY_INLINE void addStep(const Tile& rows,
                        const float* from,
                        const Offset (&columns)[kVectors],
                        Vector (&sums)[kRows][kVectors]) {
  const Floats d;
  Vector factors[kVectors];
  LAMBDA_UNROLL(8)
  for (int j = 0; j < kVectors; ++j) factors[j] = hn::LoadU(d, from + columns[j]);
  LAMBDA_UNROLL(16)
  for (int r = 0; r < kRows; ++r) {
    const Vector value = hn::Set(d, rows[r]);
    LAMBDA_UNROLL(8)
    for (int j = 0; j < kVectors; ++j) sums[r][j] = hn::MulAdd(value, factors[j], sums[r][j]);
  }
}

/// sums += the product's tile at a row and a vector of columns
template <int kRows, int kVectors, class A, class B, class Depth>
HWY_INLINE void addTerm(Offset row,
                        Offset vector,
                        const Term<A, B, Depth>& term,
                        Vector (&sums)[kRows][kVectors]) {
  Offset columns[kVectors];
  for (int j = 0; j < kVectors; ++j) columns[j] = term.b.column(vector + j);
  if (term.depth == 0) return;
  typename A::template Tile<kRows> rows(term.a, row);
  if constexpr (constexpr int kDepth = kUnrolledDepth<Depth>; kDepth > 0) {
    LAMBDA_UNROLL(16)
    for (int k = 0; k < kDepth; ++k) {
      addStep(rows, term.b.row(k), columns, sums);
      rows.next();
    }
  } else {
    for (Offset k = 0;;) {
      addStep(rows, term.b.row(k), columns, sums);
      if (++k == term.depth) return;
      rows.next();
    }
  }
}

template <int kRows, int kVectors, class A, class B>
HWY_INLINE void addTerm(Offset row,
                        Offset vector,
                        const Term<A, B, Runs>& term,
                        Vector (&sums)[kRows][kVectors]) {
  for (Offset run = 0; run < term.depth.count; ++run) {
    addTerm(row,
            vector,
            Term{term.a.from(run * term.depth.length), term.b.run(run), term.depth.length},
            sums);
  }
}

/// Computes kRows x kVectors vectors of C in registers.
template <int kRows, int kVectors, bool kAdd, class C, class... Terms>
HWY_INLINE void tile(Offset row, Offset vector, const C& c, const Terms&... terms) {
  const Floats d;
  Vector sums[kRows][kVectors];
  float* results[kRows];
  LAMBDA_UNROLL(16)
  for (int r = 0; r < kRows; ++r) {
    results[r] = c.row(row + r) + vector * lanes();
    LAMBDA_UNROLL(8)
    for (int j = 0; j < kVectors; ++j)
      sums[r][j] = kAdd ? hn::LoadU(d, results[r] + j * lanes()) : hn::Zero(d);
  }
  (addTerm(row, vector, terms, sums), ...);
  LAMBDA_UNROLL(16)
  for (int r = 0; r < kRows; ++r) {
    LAMBDA_UNROLL(8)
    for (int j = 0; j < kVectors; ++j) hn::StoreU(sums[r][j], d, results[r] + j * lanes());
  }
}

/// Tiles of kRows rows, then of half as many, and so on, until all rows are done.
template <int kRows, int kVectors, bool kAdd, class C, class... Terms>
HWY_INLINE void tilesOfRows(
    Offset row, Offset rows, Offset vector, const C& c, const Terms&... terms) {
  for (; row + kRows <= rows; row += kRows) tile<kRows, kVectors, kAdd>(row, vector, c, terms...);
  if constexpr (kRows > 1) {
    if (row < rows) tilesOfRows<kRows / 2, kVectors, kAdd>(row, rows, vector, c, terms...);
  }
}

/// C [rows, columns] = the sum of all terms, added to C if `kAdd`. Columns are whole vectors.
template <bool kAdd, class C, class... Terms>
HWY_INLINE void multiply(Offset rows, Offset columns, const C& c, const Terms&... terms) {
  const Offset vectors = columns / lanes();
  Offset vector = 0;
  if constexpr (kHasManyRegisters) {
    for (; vector + 4 <= vectors; vector += 4) {
      // Where the depth is short, tiles of six rows are faster than tiles of four.
      Offset row = 0;
      for (; rows - row >= 6 && rows - row != 8; row += 6)
        tile<6, 4, kAdd>(row, vector, c, terms...);
      tilesOfRows<4, 4, kAdd>(row, rows, vector, c, terms...);
    }
    for (; vector + 2 <= vectors; vector += 2)
      tilesOfRows<8, 2, kAdd>(0, rows, vector, c, terms...);
    for (; vector < vectors; ++vector) tilesOfRows<16, 1, kAdd>(0, rows, vector, c, terms...);
  } else {
    for (; vector + 2 <= vectors; vector += 2) {
      // Both multipliers need ten sums under way: tiles have five or six rows where that comes out.
      Offset row = 0;
      const Offset fives = (6 - rows % 6) % 6 * 5;
      for (; fives <= rows && row < fives; row += 5) tile<5, 2, kAdd>(row, vector, c, terms...);
      for (; rows - row >= 6 && rows - row != 8; row += 6)
        tile<6, 2, kAdd>(row, vector, c, terms...);
      tilesOfRows<4, 2, kAdd>(row, rows, vector, c, terms...);
    }
    for (; vector < vectors; ++vector) tilesOfRows<8, 1, kAdd>(0, rows, vector, c, terms...);
  }
}

/// multiply() where rows are few: with fewer than four, tiles have more vectors, so that enough
/// sums are under way.
template <bool kAdd, class C, class... Terms>
HWY_INLINE void multiplyFewRows(Offset rows, Offset columns, const C& c, const Terms&... terms) {
  const Offset vectors = columns / lanes();
  Offset vector = 0;
  for (; rows == 1 && vector + 8 <= vectors; vector += 8) tile<1, 8, kAdd>(0, vector, c, terms...);
  for (; rows < 4 && vector + 4 <= vectors; vector += 4)
    tilesOfRows<2, 4, kAdd>(0, rows, vector, c, terms...);
  for (; vector + 2 <= vectors; vector += 2) tilesOfRows<4, 2, kAdd>(0, rows, vector, c, terms...);
  for (; vector < vectors; ++vector) tilesOfRows<8, 1, kAdd>(0, rows, vector, c, terms...);
}

/// multiply() as a function that is not inlined, for callers outside tight loops. It takes copies,
/// which stay in registers: what it refers to might change with each store.
template <bool kAdd, class C, class... Terms>
HWY_NOINLINE void product(Offset rows, Offset columns, const C c, const Terms... terms) {
  multiply<kAdd>(rows, columns, c, terms...);
}

#if HWY_TARGET != HWY_SCALAR
/// A vector with four successive values of every fourth row: the first of each group of four rows,
/// which lie `four` floats apart.
template <class D>
HWY_INLINE hn::Vec<D> everyFourthRow(D d, const float* from, Offset four) {
  if constexpr (hn::MaxLanes(d) == 4) {
    return hn::LoadU(d, from);
  } else {
    const hn::Half<D> half;
    constexpr auto kFours = static_cast<Offset>(hn::MaxLanes(half) / 4);
    return hn::Combine(
        d, everyFourthRow(half, from + kFours * four, four), everyFourthRow(half, from, four));
  }
}

/// transpose() of as many rows as a vector has lanes.
template <class D>
HWY_INLINE void transposeLanes(
    D d, const float* from, Offset fromStride, Offset columns, float* to, Offset toStride) {
  using V = hn::Vec<D>;
  constexpr auto kLanes = static_cast<Offset>(hn::MaxLanes(d));
  const Offset four = 4 * fromStride;
  Offset column = 0;
  for (; column + 4 <= columns; column += 4, from += 4, to += 4 * toStride) {
    // Each 16 bytes of the four vectors hold a row of a 4 x 4 block, which is transposed.
    const V r0 = everyFourthRow(d, from, four);
    const V r1 = everyFourthRow(d, from + fromStride, four);
    const V r2 = everyFourthRow(d, from + 2 * fromStride, four);
    const V r3 = everyFourthRow(d, from + 3 * fromStride, four);
    const V low02 = hn::InterleaveLower(d, r0, r2), high02 = hn::InterleaveUpper(d, r0, r2);
    const V low13 = hn::InterleaveLower(d, r1, r3), high13 = hn::InterleaveUpper(d, r1, r3);
    hn::StoreU(hn::InterleaveLower(d, low02, low13), d, to);
    hn::StoreU(hn::InterleaveUpper(d, low02, low13), d, to + toStride);
    hn::StoreU(hn::InterleaveLower(d, high02, high13), d, to + 2 * toStride);
    hn::StoreU(hn::InterleaveUpper(d, high02, high13), d, to + 3 * toStride);
  }
  for (; column < columns; ++column, ++from, to += toStride) {
    for (Offset r = 0; r < kLanes; ++r) to[r] = from[r * fromStride];
  }
}

/// transpose() of at least four rows: of groups that fill vectors, then of smaller ones. The last
/// group may overlap the one before.
template <class D>
HWY_INLINE void transposeGroups(D d,
                                const float* from,
                                Offset fromStride,
                                Offset rows,
                                Offset columns,
                                float* to,
                                Offset toStride) {
  constexpr auto kLanes = static_cast<Offset>(hn::MaxLanes(d));
  Offset row = 0;
  for (; row + kLanes <= rows; row += kLanes)
    transposeLanes(d, from + row * fromStride, fromStride, columns, to + row, toStride);
  if (row == rows) return;
  if constexpr (kLanes > 4) {
    const Offset first = std::min(row, rows - 4);
    transposeGroups(hn::Half<D>(),
                    from + first * fromStride,
                    fromStride,
                    rows - first,
                    columns,
                    to + first,
                    toStride);
  } else {
    transposeLanes(d, from + (rows - 4) * fromStride, fromStride, columns, to + rows - 4, toStride);
  }
}
#endif

/// Writes `from` [rows, columns] transposed to `to` [columns, rows]. The rows of each lie a stride
/// apart.
HWY_INLINE void transpose(
    const float* from, Offset fromStride, Offset rows, Offset columns, float* to, Offset toStride) {
#if HWY_TARGET != HWY_SCALAR
  if (rows >= 4) return transposeGroups(Floats(), from, fromStride, rows, columns, to, toStride);
#endif
  for (Offset row = 0; row < rows; ++row) {
    for (Offset column = 0; column < columns; ++column)
      to[column * toStride + row] = from[row * fromStride + column];
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#endif  // LAMBDA_SMALL_PRODUCTS_INL_H_
