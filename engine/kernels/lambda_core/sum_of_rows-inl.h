// Sums of a few rows of floats or bfloat16, for means over pixels, each of which is a row. Included
// once for each instruction set.

#if defined(LAMBDA_SUM_OF_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LAMBDA_SUM_OF_ROWS_INL_H_
#undef LAMBDA_SUM_OF_ROWS_INL_H_
#else
#define LAMBDA_SUM_OF_ROWS_INL_H_
#endif

#include "engine/kernels/elements-inl.h"
#include "engine/kernels/lambda_core/pooling_windows.h"
#include "engine/kernels/products/product_operands-inl.h"

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {
namespace {

/// Up to kPixelsOfMean rows that are added up.
template <class T>
class SumOfRows {
 public:
  void add(const T* row) { rows_[count_++] = row; }

  /// Adds the pixels in these rows and columns of a map `width` pixels wide, which lie `apart`
  /// values apart.
  void addPixels(const T* map, RowRange rows, RowRange columns, Index width, Index apart) {
    for (Index row = rows.first; row <= rows.last; ++row) {
      for (Index column = columns.first; column <= columns.last; ++column)
        add(map + (row * width + column) * apart);
    }
  }

  /// Writes the sum of their `columns` values from `first` on, times `factor`, to the same place of
  /// a row, which may be one of them.
  void write(Index first, Index columns, float factor, T* to) const {
    // The most frequent counts first.
    withFixed<3, 4, 2, 1, 6, 7, 5, 9>(
        count_, [&](auto count) { writeSum(count, first, columns, factor, to + first); });
  }

 private:
  template <class Count>
  HWY_INLINE void writeSum(Count count, Index first, Index columns, float factor, T* to) const {
    const T* from[kPixelsOfMean];
    for (Index i = 0; i < count; ++i) from[i] = rows_[i] + first;
    const Vector scale = hn::Set(Floats(), factor);
    Index column = 0;
    for (; column + lanes() <= columns; column += lanes()) {
      Vector sum = load(from[0] + column);
      for (Index i = 1; i < count; ++i) sum = hn::Add(sum, load(from[i] + column));
      store(hn::Mul(sum, scale), to + column);
    }
    if (column == columns) return;
    Vector sum = loadFirst(from[0] + column, columns - column);
    for (Index i = 1; i < count; ++i)
      sum = hn::Add(sum, loadFirst(from[i] + column, columns - column));
    storeFirst(hn::Mul(sum, scale), columns - column, to + column);
  }

  const T* rows_[kPixelsOfMean];
  Index count_ = 0;
};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#endif  // LAMBDA_SUM_OF_ROWS_INL_H_
