// The rules of core_layout-inl.h for the instruction set that the kernel uses on this CPU. They
// depend on the width of a vector, so this file is compiled once for each instruction set, as the
// kernel is.

#include "engine/kernels/lambda_core/core_order.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/lambda_core/core_order.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "engine/kernels/lambda_core/core_layout-inl.h"
#include "engine/kernels/lambda_core/core_loops.h"

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {

CoreOrder orderOf(const CoreShape& shape, const std::int32_t* tableRowOf) {
  return putsLambdasFirst(shape, isLocal(shape, tableRowOf)) ? CoreOrder::lambdasFirst
                                                             : CoreOrder::queriesFirst;
}

bool poolsScores(const CoreShape& shape, const std::int32_t* tableRowOf) {
  if (shape.window || shape.queries == 0) return false;
  const PooledLayout layout(shape, true, true);
  return keepsBlocks(layout) && layout.keepsMeans() && !putsLambdasFirst(shape, false) &&
         !isLocal(shape, tableRowOf);
}

}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lambda {

HWY_EXPORT(orderOf);
HWY_EXPORT(poolsScores);

namespace {

/// Queries in a row of the map that the window kernel takes together, about: with four heads, see
/// core_window-inl.h. Fewer than kFullVector take as long as kFullVector.
constexpr std::int64_t kBlock = 16;
constexpr std::int64_t kFullVector = 8;

/// Pairs of rows of the map that are at most `reach` apart.
double pairsOfRows(std::int64_t height, std::int64_t reach) {
  const auto most = static_cast<double>(std::min(reach, height - 1));
  return static_cast<double>(height) * (2 * most + 1) - most * (most + 1);
}

/// Pairs in a row of the map as the window kernel multiplies them: every query of a block with all
/// that one of its queries sees.
double multipliedInRow(std::int64_t width, std::int64_t reach) {
  double pairs = 0;
  for (std::int64_t first = 0; first < width; first += kBlock) {
    const std::int64_t last = std::min(first + kBlock, width) - 1;
    const std::int64_t seen = std::min(reach, last) + 1 + std::min(reach, width - 1 - first);
    pairs += static_cast<double>(seen * std::max(last - first + 1, kFullVector));
  }
  return pairs;
}

}  // namespace

CoreOrder coreOrderOf(const CoreShape& shape, const std::int32_t* tableRowOf) {
  return HWY_DYNAMIC_DISPATCH(orderOf)(shape, tableRowOf);
}

bool poolsOutputs(const CoreShape& shape, const std::int32_t* tableRowOf) {
  return HWY_DYNAMIC_DISPATCH(poolsScores)(shape, tableRowOf);
}

bool windowSavesProducts(const LocalWindow& window) {
  constexpr double kShare = 0.9;
  const auto n = static_cast<double>(window.mapHeight * window.mapWidth);
  return pairsOfRows(window.mapHeight, window.reach()) *
             multipliedInRow(window.mapWidth, window.reach()) <
         kShare * n * n;
}

}  // namespace lambda
#endif
