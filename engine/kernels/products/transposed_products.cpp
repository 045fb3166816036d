#include <algorithm>

#include "engine/kernels/products/matrix_products.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/products/transposed_products.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "engine/kernels/aligned_buffer.h"
#include "engine/kernels/products/small_products-inl.h"

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {

namespace {

constexpr Index kPanel = PackedMatrix::kPanel;

/// How the work is divided: a task sums the rows of a group for one panel of B's columns. The
/// division depends on the shape alone, and so do the bits.
struct Tasks {
  explicit Tasks(const TransposedProductShape& shape)
      : panels((shape.bColumns + kPanel - 1) / kPanel),
        groups(std::clamp<Index>(
            (kTasks + panels - 1) / panels, 1, std::max<Index>(1, shape.rows / kFewestRows))),
        rowsOfGroup((shape.rows + groups - 1) / groups) {}

  static constexpr Index kTasks = 16;
  static constexpr Index kFewestRows = 256;

  Index panels;
  Index groups;
  Index rowsOfGroup;
};

/// Copies `width` columns of rows that lie a stride apart into dense memory. Reading them where
/// they lie would use few sets of the caches where the stride is a power of two.
void gather(const float* from, Index stride, Index rows, Index width, float* to) {
  for (Index row = 0; row < rows; ++row) std::copy_n(from + row * stride, width, to + row * width);
}

/// The scratch memory of one thread.
class PanelSums {
 public:
  explicit PanelSums(const TransposedProductShape& shape)
      : shape_(shape), a_(kRowsTogether * kPanel), b_(kRowsTogether * kPanel) {}

  /// Adds rows [first, end) to the sums [aColumns, width] of the panel that begins at `column`.
  void add(const float* a,
           const float* b,
           Index first,
           Index end,
           Index column,
           Index width,
           float* sums) const {
    const Index aColumns = shape_.aColumns, bColumns = shape_.bColumns;
    for (; first < end; first += kRowsTogether) {
      const Index count = std::min(kRowsTogether, end - first);
      gather(b + first * bColumns + column, bColumns, count, width, b_.get());
      for (Index row = 0; row < aColumns; row += kPanel) {
        const Index rows = std::min(kPanel, aColumns - row);
        gather(a + first * aColumns + row, aColumns, count, rows, a_.get());
        product<true>(rows,
                      width,
                      Rows{sums + row * width, width},
                      Term{RowInDepth{a_.get(), rows}, EvenRows{b_.get(), width}, count});
      }
    }
  }

 private:
  static constexpr Index kRowsTogether = 256;

  const TransposedProductShape& shape_;
  AlignedBuffer<float> a_, b_;
};

/// Writes a row of C as the sum of all groups, whose sums are [panels, aColumns, width].
HWY_NOINLINE void writeRow(const TransposedProductShape& shape,
                           const Tasks& tasks,
                           const float* sums,
                           Index row,
                           float* c) {
  for (Index column = 0; column < shape.bColumns; column += lanes()) {
    const Index first = column / kPanel * kPanel;
    const Index width = std::min(kPanel, shape.bColumns - first);
    const float* at = sums + first * shape.aColumns + row * width + column - first;
    Vector sum = hn::LoadU(Floats(), at);
    for (Index group = 1; group < tasks.groups; ++group)
      sum = hn::Add(sum, hn::LoadU(Floats(), at + group * shape.aColumns * shape.bColumns));
    hn::StoreU(sum, Floats(), c + row * shape.bColumns + column);
  }
}

}  // namespace

void multiplyTransposedRows(const TransposedProductShape& shape,
                            const float* a,
                            const float* b,
                            float* c,
                            const ParallelFor& parallelFor) {
  const Tasks tasks(shape);
  const Index size = shape.aColumns * shape.bColumns;
  const AlignedBuffer<float> sums(tasks.groups * size);
  parallelFor(tasks.panels * tasks.groups, [&](Index begin, Index end) {
    const PanelSums panel(shape);
    for (Index task = begin; task < end; ++task) {
      const Index column = task / tasks.groups * kPanel, group = task % tasks.groups;
      const Index first = std::min(shape.rows, group * tasks.rowsOfGroup);
      panel.add(a,
                b,
                first,
                std::min(shape.rows, first + tasks.rowsOfGroup),
                column,
                std::min(kPanel, shape.bColumns - column),
                sums.get() + group * size + column * shape.aColumns);
    }
  });
  parallelFor(shape.aColumns, [&](Index begin, Index end) {
    for (Index row = begin; row < end; ++row) writeRow(shape, tasks, sums.get(), row, c);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lambda {

HWY_EXPORT(multiplyTransposedRows);

void multiplyTransposed(const TransposedProductShape& shape,
                        const float* a,
                        const float* b,
                        float* c,
                        const ParallelFor& parallelFor) {
  HWY_DYNAMIC_DISPATCH(multiplyTransposedRows)(shape, a, b, c, parallelFor);
}

}  // namespace lambda
#endif
