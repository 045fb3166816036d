// Where the columns of queries, values and keys lie in z and in the packed weights, and the code
// that the forward and backward passes share. Included once for each instruction set.

#if defined(LAMBDA_OPERAND_COLUMNS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LAMBDA_OPERAND_COLUMNS_INL_H_
#undef LAMBDA_OPERAND_COLUMNS_INL_H_
#else
#define LAMBDA_OPERAND_COLUMNS_INL_H_
#endif

#include <algorithm>

#include "engine/kernels/aligned_buffer.h"
#include "engine/kernels/elements-inl.h"
#include "engine/kernels/lambda_operands/lambda_operands_kernel.h"

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {
namespace {

/// Rows that are multiplied together and summed in float32: a multiple of the six rows of a tile of
/// a product, few enough that they stay in the second-level cache.
constexpr Index kRowsOfChunk = 72;

/// Rows that are processed together, so that the coefficients of a column are loaded once for them.
constexpr Index kRowsTogether = 8;

/// Columns of one operand.
struct Section {
  Section(Index firstColumn, Index columnCount)
      : first(firstColumn), columns(columnCount), padded(paddedColumns(columnCount)) {}

  Index first;    ///< In z.
  Index columns;  ///< Without padding.
  Index padded;
};

/// The columns of z.
struct Columns {
  explicit Columns(const OperandsShape& shape)
      : queries(0, shape.queryColumns),
        values(queries.padded, shape.valueColumns),
        keys(values.first + values.padded, shape.keyColumns),
        total(keys.first + keys.padded) {}

  Section queries, values, keys;
  Index total;
};

/// All rows, divided into chunks.
struct Chunks {
  explicit Chunks(const OperandsShape& shape)
      : rows(shape.images * shape.positions), count((rows + kRowsOfChunk - 1) / kRowsOfChunk) {}

  /// All rows, for chunks after the last.
  Index firstOf(Index chunk) const { return std::min(chunk * kRowsOfChunk, rows); }

  /// 0 for chunks after the last.
  Index rowsOf(Index chunk) const { return std::min(kRowsOfChunk, rows - firstOf(chunk)); }

  Index rows;
  Index count;
};

/// The vector of a section's columns from `column` on, of a row without padding; zeros after it.
HWY_INLINE Vector loadColumns(const float* row, const Section& section, Index column) {
  const Index left = section.columns - column;
  if (left >= lanes()) return hn::LoadU(Floats(), row + column);
  return left > 0 ? loadFirst(row + column, left) : hn::Zero(Floats());
}

/// Stores those values of a vector that belong to a section's columns, to a row without padding.
HWY_INLINE void storeColumns(Vector values, const Section& section, Index column, float* row) {
  const Index left = section.columns - column;
  if (left >= lanes()) {
    hn::StoreU(values, Floats(), row + column);
  } else if (left > 0) {
    storeFirst(values, left, row + column);
  }
}

/// Adds the values of a vector to sums in double.
HWY_INLINE void addTo(Vector values, double* sums) {
  HWY_ALIGN float each[hn::MaxLanes(Floats())];
  hn::Store(values, Floats(), each);
  for (Index i = 0; i < lanes(); ++i) sums[i] += static_cast<double>(each[i]);
}

/// Calls `work` with the first row, the end of the rows and the first column of blocks of a few
/// rows and a vector of the section's columns, padding included.
template <class Work>
HWY_INLINE void forBlocks(Index rows, const Section& section, const Work& work) {
  for (Index row = 0; row < rows; row += kRowsTogether) {
    const Index end = std::min(rows, row + kRowsTogether);
    for (Index column = 0; column < section.padded; column += lanes()) work(row, end, column);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#endif  // LAMBDA_OPERAND_COLUMNS_INL_H_
