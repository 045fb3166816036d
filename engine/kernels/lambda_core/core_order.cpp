// The rule of core_layout-inl.h for the instruction set that the kernel uses on this CPU. It
// depends on the width of a vector, so this file is compiled once for each instruction set, as the
// kernel is.

#include "engine/kernels/lambda_core/core_order.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/kernels/lambda_core/core_order.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "engine/kernels/lambda_core/core_layout-inl.h"

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {

CoreOrder orderOf(const CoreShape& shape, const std::int32_t* tableRowOf) {
  return putsLambdasFirst(shape, isLocal(shape, tableRowOf)) ? CoreOrder::lambdasFirst
                                                             : CoreOrder::queriesFirst;
}

}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lambda {

HWY_EXPORT(orderOf);

CoreOrder coreOrderOf(const CoreShape& shape, const std::int32_t* tableRowOf) {
  return HWY_DYNAMIC_DISPATCH(orderOf)(shape, tableRowOf);
}

}  // namespace lambda
#endif
