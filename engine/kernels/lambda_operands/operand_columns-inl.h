// Where the columns of queries, values and keys lie in z and in the packed weights, and the code
// that the forward and backward passes share. Included once for each instruction set.

#if defined(LAMBDA_OPERAND_COLUMNS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LAMBDA_OPERAND_COLUMNS_INL_H_
#undef LAMBDA_OPERAND_COLUMNS_INL_H_
#else
#define LAMBDA_OPERAND_COLUMNS_INL_H_
#endif

#include <algorithm>
#include <type_traits>

#include "engine/kernels/aligned_buffer.h"
#include "engine/kernels/elements-inl.h"
#include "engine/kernels/lambda_operands/lambda_operands_kernel.h"
#include "engine/kernels/unroll.h"

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {
namespace {

/// Rows that are multiplied together and summed in float32, few enough that they stay in the
/// second-level cache: a multiple of the six rows of a tile of a product. In bfloat16 they are also
/// a multiple of 32, for tiles of 16 rows and for sums over 16 pairs of rows.
constexpr Index kRowsOfChunk = 72;
constexpr Index kRowsOfPairChunk = 96;

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

/// All rows, divided into chunks of `rowsOfChunk`.
struct Chunks {
  Chunks(const OperandsShape& shape, Index rowsOfChunk)
      : most(rowsOfChunk),
        rows(shape.images * shape.positions),
        count((rows + rowsOfChunk - 1) / rowsOfChunk) {}

  /// All rows, for chunks after the last.
  Index firstOf(Index chunk) const { return std::min(chunk * most, rows); }

  /// 0 for chunks after the last.
  Index rowsOf(Index chunk) const { return std::min(most, rows - firstOf(chunk)); }

  Index most;  ///< Rows of a chunk.
  Index rows;
  Index count;
};

/// A vector of columns that are all columns of a section.
struct WholeVector {
  HWY_INLINE Vector load(const float* from) const { return hn::LoadU(Floats(), from); }

  HWY_INLINE void store(Vector values, float* to) const { hn::StoreU(values, Floats(), to); }
};

/// A vector of which only the first columns are columns of a section; the others are padding, which
/// rows outside z do not have.
struct StartOfVector {
  HWY_INLINE Vector load(const float* from) const { return loadFirst(from, columns); }

  HWY_INLINE void store(Vector values, float* to) const { storeFirst(values, columns, to); }

  Index columns;
};

/// Calls `work` for all columns of a section, padding included, with the first column, the number
/// of vectors as a constant, and what loads and stores each of them: kTogether vectors at a time,
/// so that enough loads and sums are under way, then one by one.
template <int kTogether, class Work>
HWY_INLINE void forVectors(const Section& section, const Work& work) {
  constexpr std::integral_constant<int, kTogether> kMany;
  constexpr std::integral_constant<int, 1> kOne;
  Index column = 0;
  for (; column + kTogether * lanes() <= section.columns; column += kTogether * lanes())
    work(column, kMany, WholeVector());
  for (; column + lanes() <= section.columns; column += lanes()) work(column, kOne, WholeVector());
  for (; column < section.padded; column += lanes())
    work(column, kOne, StartOfVector{std::max<Index>(section.columns - column, 0)});
}

/// Adds the values of a vector to sums in double.
HWY_INLINE void addTo(Vector values, double* sums) {
  HWY_ALIGN float each[hn::MaxLanes(Floats())];
  hn::Store(values, Floats(), each);
  for (Index i = 0; i < lanes(); ++i) sums[i] += static_cast<double>(each[i]);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#endif  // LAMBDA_OPERAND_COLUMNS_INL_H_
