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

/// Writes four rows of `from`, with `columns` values each, as four successive values of the rows of
/// `to`. The rows of each lie a stride apart.
HWY_INLINE void transposeFour(
    const float* from, Offset fromStride, Offset columns, float* to, Offset toStride) {
  Offset column = 0;
#if HWY_TARGET != HWY_SCALAR
  const Floats d;
  const float* rows[4];
  for (int r = 0; r < 4; ++r) rows[r] = from + r * fromStride;
  for (; lanes() % 4 == 0 && column + lanes() <= columns; column += lanes()) {
    // Each 16 bytes of the four vectors hold a 4 x 4 block of the matrix, which is transposed.
    const Vector r0 = hn::LoadU(d, rows[0] + column), r1 = hn::LoadU(d, rows[1] + column);
    const Vector r2 = hn::LoadU(d, rows[2] + column), r3 = hn::LoadU(d, rows[3] + column);
    const Vector low02 = hn::InterleaveLower(d, r0, r2), high02 = hn::InterleaveUpper(d, r0, r2);
    const Vector low13 = hn::InterleaveLower(d, r1, r3), high13 = hn::InterleaveUpper(d, r1, r3);
    alignas(HWY_ALIGNMENT) float turned[4][HWY_MAX_BYTES / sizeof(float)];
    hn::Store(hn::InterleaveLower(d, low02, low13), d, turned[0]);
    hn::Store(hn::InterleaveUpper(d, low02, low13), d, turned[1]);
    hn::Store(hn::InterleaveLower(d, high02, high13), d, turned[2]);
    hn::Store(hn::InterleaveUpper(d, high02, high13), d, turned[3]);
    for (Offset i = 0; i < lanes(); ++i)
      std::copy_n(turned[i % 4] + i / 4 * 4, 4, to + (column + i) * toStride);
  }
#endif
  for (; column < columns; ++column) {
    for (Offset r = 0; r < 4; ++r) to[column * toStride + r] = from[r * fromStride + column];
  }
}

/// Writes `from` [rows, columns] transposed to `to` [columns, rows]. The rows of each lie a stride
/// apart.
HWY_INLINE void transpose(
    const float* from, Offset fromStride, Offset rows, Offset columns, float* to, Offset toStride) {
  Offset row = 0;
  for (; row + 4 <= rows; row += 4)
    transposeFour(from + row * fromStride, fromStride, columns, to + row, toStride);
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
