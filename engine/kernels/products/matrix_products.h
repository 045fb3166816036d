#pragma once

#include <cstdint>

#include <hwy/aligned_allocator.h>

#include "engine/kernels/parallel_for.h"
#include "engine/kernels/products/column_epilogue.h"

namespace lambda {

// Products of large matrices in float32 with vectors as wide as the CPU has. The rows of A that a
// thread multiplies stay in its second-level cache while the panels of B pass by, so that A and C
// are read and written once. A pointwise convolution is such a product, of pixels and filters. The
// same inputs give the same bits with any number of threads.

/// Whether this CPU computes them faster than by the products of LibTorch: if it has AVX-512 and is
/// not Intel's, because oneMKL uses these instructions on Intel's only.
bool matrixProductsPay();

/// Depth and columns of the products must be multiples of this number.
inline constexpr std::int64_t kProductColumns = 16;

/// The second factor B [depth, columns] in the order in which products read it: panels of kPanel
/// columns, or fewer in the last one, [depth, kPanel] each.
class PackedMatrix {
 public:
  static constexpr std::int64_t kPanel = 64;

  /// From B [depth, columns].
  static PackedMatrix of(std::int64_t depth,
                         std::int64_t columns,
                         const float* b,
                         const ParallelFor& parallelFor);

  /// From the transpose of B, [columns, depth].
  static PackedMatrix ofTransposed(std::int64_t depth,
                                   std::int64_t columns,
                                   const float* transposed,
                                   const ParallelFor& parallelFor);

  std::int64_t depth() const { return depth_; }

  std::int64_t columns() const { return columns_; }

  const float* panels() const { return panels_.get(); }

 private:
  PackedMatrix(std::int64_t depth, std::int64_t columns);

  std::int64_t depth_;
  std::int64_t columns_;
  hwy::AlignedFreeUniquePtr<float[]> panels_;
};

/// Writes C = A B [rows, columns] with its epilogue, from A [rows, depth].
void multiplyMatrices(std::int64_t rows,
                      const float* a,
                      const PackedMatrix& b,
                      const ColumnEpilogue& epilogue,
                      float* c,
                      const ParallelFor& parallelFor);

/// The sizes of a product A^T B, a sum over rows.
struct TransposedProductShape {
  std::int64_t rows = 0;
  std::int64_t aColumns = 0;
  std::int64_t bColumns = 0;
};

/// Writes C = A^T B [aColumns, bColumns] from A [rows, aColumns] and B [rows, bColumns].
void multiplyTransposed(const TransposedProductShape& shape,
                        const float* a,
                        const float* b,
                        float* c,
                        const ParallelFor& parallelFor);

}  // namespace lambda
