#include "engine/kernels/products/matrix_products.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/products/matrix_products.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "engine/kernels/aligned_buffer.h"
#include "engine/kernels/products/column_epilogue-inl.h"
#include "engine/kernels/products/small_products-inl.h"
#include "engine/kernels/unroll.h"

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {

namespace {

/// Rows that a thread multiplies by all panels before it goes on: those of A lie in the
/// second-level cache, and the sums of a panel in the first. Threads get equal shares.
Index rowsTogether(Index rows, Index depth) {
  constexpr Index kCacheBytes = 256 << 10;
  constexpr Index kFewest = 8, kMost = 96;
  constexpr Index kShares = 16;
  const Index most = std::clamp<Index>(kCacheBytes / (depth * sizeof(float)), kFewest, kMost);
  const Index parts = (rows + most - 1) / most;
  const Index evenParts = std::max<Index>(1, (parts + kShares - 1) / kShares) * kShares;
  return std::max(kFewest, (rows + evenParts - 1) / evenParts);
}

/// Where the results of a panel lie in C.
struct PanelPlace {
  Index firstRow;
  Index firstColumn;
  Index columns;
};

/// Writes the results of kVectors vectors of a panel from its sums [rows, width].
template <int kVectors>
void writeVectors(const float* sums,
                  Index rows,
                  Index width,
                  Index column,
                  const ColumnEpilogue& epilogue,
                  const PanelPlace& place,
                  float* c) {
  ColumnsEpilogue epilogues[kVectors];
  for (int j = 0; j < kVectors; ++j)
    epilogues[j] = ColumnsEpilogue(epilogue, place.firstColumn + column + j * lanes());
  Index at = place.firstRow * place.columns + place.firstColumn + column;
  for (Index row = 0; row < rows; ++row, at += place.columns) {
    LAMBDA_UNROLL(4)
    for (int j = 0; j < kVectors; ++j) {
      epilogues[j].write(
          hn::LoadU(Floats(), sums + row * width + column + j * lanes()), at + j * lanes(), c);
    }
  }
}

void writePanel(const float* sums,
                Index rows,
                Index width,
                const ColumnEpilogue& epilogue,
                const PanelPlace& place,
                float* c) {
  Index column = 0;
  for (; column + 4 * lanes() <= width; column += 4 * lanes())
    writeVectors<4>(sums, rows, width, column, epilogue, place, c);
  for (; column < width; column += lanes())
    writeVectors<1>(sums, rows, width, column, epilogue, place, c);
}

/// Calls `work` with the first column and the width of each panel.
template <class Work>
void forPanels(Index columns, const ParallelFor& parallelFor, const Work& work) {
  constexpr Index kPanel = PackedMatrix::kPanel;
  parallelFor((columns + kPanel - 1) / kPanel, [&](Index begin, Index end) {
    for (Index first = begin * kPanel; first < std::min(end * kPanel, columns); first += kPanel)
      work(first, std::min(kPanel, columns - first));
  });
}

}  // namespace

void pack(
    Index depth, Index columns, const float* b, float* panels, const ParallelFor& parallelFor) {
  forPanels(columns, parallelFor, [&](Index first, Index width) {
    float* to = panels + first * depth;
    for (Index row = 0; row < depth; ++row, to += width)
      std::copy_n(b + row * columns + first, width, to);
  });
}

void packTransposed(Index depth,
                    Index columns,
                    const float* transposed,
                    float* panels,
                    const ParallelFor& parallelFor) {
  forPanels(columns, parallelFor, [&](Index first, Index width) {
    transpose(transposed + first * depth, depth, width, depth, panels + first * depth, width);
  });
}

void multiply(Index rows,
              const float* a,
              const PackedMatrix& b,
              const ColumnEpilogue& epilogue,
              float* c,
              const ParallelFor& parallelFor) {
  constexpr Index kPanel = PackedMatrix::kPanel;
  const Index depth = b.depth(), columns = b.columns();
  const Index together = rowsTogether(rows, depth);
  parallelFor((rows + together - 1) / together, [&](Index begin, Index end) {
    const auto sums = allocateAligned<float>(together * kPanel);
    for (Index part = begin; part < end; ++part) {
      const Index first = part * together, count = std::min(together, rows - first);
      for (Index column = 0; column < columns; column += kPanel) {
        const Index width = std::min(kPanel, columns - column);
        withFixed<kPanel>(width, [&](auto stride) {
          product<false>(count,
                         width,
                         Rows{sums.get(), width},
                         Term{DepthInRow{a + first * depth, depth},
                              EvenRows{b.panels() + column * depth, stride},
                              depth});
        });
        writePanel(sums.get(), count, width, epilogue, {first, column, columns}, c);
      }
    }
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lambda {

HWY_EXPORT(pack);
HWY_EXPORT(packTransposed);
HWY_EXPORT(multiply);

bool matrixProductsPay() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512f") && !__builtin_cpu_is("intel");
#else
  return false;
#endif
}

PackedMatrix::PackedMatrix(std::int64_t depth, std::int64_t columns)
    : depth_(depth), columns_(columns), panels_(allocateAligned<float>(depth * columns)) {}

PackedMatrix PackedMatrix::of(std::int64_t depth,
                              std::int64_t columns,
                              const float* b,
                              const ParallelFor& parallelFor) {
  PackedMatrix packed(depth, columns);
  HWY_DYNAMIC_DISPATCH(pack)(depth, columns, b, packed.panels_.get(), parallelFor);
  return packed;
}

PackedMatrix PackedMatrix::ofTransposed(std::int64_t depth,
                                        std::int64_t columns,
                                        const float* transposed,
                                        const ParallelFor& parallelFor) {
  PackedMatrix packed(depth, columns);
  HWY_DYNAMIC_DISPATCH(packTransposed)
  (depth, columns, transposed, packed.panels_.get(), parallelFor);
  return packed;
}

void multiplyMatrices(std::int64_t rows,
                      const float* a,
                      const PackedMatrix& b,
                      const ColumnEpilogue& epilogue,
                      float* c,
                      const ParallelFor& parallelFor) {
  HWY_DYNAMIC_DISPATCH(multiply)(rows, a, b, epilogue, c, parallelFor);
}

}  // namespace lambda
#endif
