#pragma once

#include <ATen/core/Tensor.h>

#include "engine/values/inspection/inspection.h"

namespace lambda {

/// The strongest patterns of tiles [..., rows, columns]: the singular value decomposition of the
/// matrix whose rows are the tiles, in double. Fewer than kPrincipalPatterns where the tiles have a
/// smaller rank; none where all of them are 0.
PrincipalPatterns principalPatternsOf(const at::Tensor& tiles);

}  // namespace lambda
