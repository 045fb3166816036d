#include "engine/kernels/products/row_product.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/products/row_product.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "engine/kernels/elements-inl.h"
#include "engine/kernels/unroll.h"

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {

namespace {

/// Rows of B that are read side by side, each from a stream of its own through the memory. A core
/// has more requests to the memory under way with several streams than with one. Their sums fit
/// into 16 registers.
constexpr int kStreams = 12;
constexpr int kFewStreams = 4;

/// How far ahead of a stream the memory is asked for it.
constexpr Index kFloatsAhead = 128;

/// Fewest numbers of B that repay another thread.
constexpr Index kFewestOfThread = Index{1} << 15;

/// The sums of `kRows` rows of B that lie `stride` rows apart, from row `first` on.
template <int kRows>
HWY_INLINE void multiplySome(const RowProduct& product, Index first, Index stride) {
  const Floats d;
  const float* const rows = product.b + first * product.depth;
  Vector sums[kRows];
  LAMBDA_UNROLL(16)
  for (int row = 0; row < kRows; ++row) sums[row] = hn::Zero(d);
  forVectors(0, product.depth, [&](Index i, const auto& memory) HWY_ATTR {
    const Vector factor = memory.load(product.a + i);
    LAMBDA_UNROLL(16)
    for (int row = 0; row < kRows; ++row) {
      const float* from = rows + row * stride * product.depth + i;
      hwy::Prefetch(from + kFloatsAhead);
      sums[row] = hn::MulAdd(factor, memory.load(from), sums[row]);
    }
  });
  for (int row = 0; row < kRows; ++row)
    product.c[first + row * stride] = hn::GetLane(hn::SumOfLanes(d, sums[row]));
}

/// As many of the columns next..end as that number of streams takes; moves `next` behind them.
template <int kRows>
HWY_INLINE void multiplyInStreams(const RowProduct& product, Index end, Index& next) {
  const Index stride = (end - next) / kRows;
  for (Index i = 0; i < stride; ++i) multiplySome<kRows>(product, next + i, stride);
  next += stride * kRows;
}

}  // namespace

void multiplyRowsOf(std::span<const RowProduct> products, const ParallelFor& parallelFor) {
  Index numbers = 0;
  for (const RowProduct& product : products) numbers += product.columns * product.depth;
  const Index parts = std::max<Index>(1, numbers / kFewestOfThread);
  parallelFor(parts, [&](Index begin, Index end) {
    for (const RowProduct& product : products) {
      Index next = begin * product.columns / parts;
      const Index last = end * product.columns / parts;
      multiplyInStreams<kStreams>(product, last, next);
      multiplyInStreams<kFewStreams>(product, last, next);
      multiplyInStreams<1>(product, last, next);
    }
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lambda {

HWY_EXPORT(multiplyRowsOf);

void multiplyRows(std::span<const RowProduct> products, const ParallelFor& parallelFor) {
  HWY_DYNAMIC_DISPATCH(multiplyRowsOf)(products, parallelFor);
}

}  // namespace lambda
#endif
