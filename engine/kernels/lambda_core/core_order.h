#pragma once

#include <cstdint>

#include "engine/kernels/lambda_core/core_shape.h"

namespace lambda {

/// The order in which the CPU's kernel computes this core, never automatic: what `shape.order` asks
/// for where that can be had, else what costs less with this CPU's vectors. `tableRowOf` [n, m] is
/// that of CoreInputs; null without a table.
CoreOrder coreOrderOf(const CoreShape& shape, const std::int32_t* tableRowOf);

}  // namespace lambda
