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

CoreOrder coreOrderOf(const CoreShape& shape, const std::int32_t* tableRowOf) {
  return HWY_DYNAMIC_DISPATCH(orderOf)(shape, tableRowOf);
}

bool poolsOutputs(const CoreShape& shape, const std::int32_t* tableRowOf) {
  return HWY_DYNAMIC_DISPATCH(poolsScores)(shape, tableRowOf);
}

}  // namespace lambda
#endif
