#pragma once

#include "widgets/network/parts/network_parts.h"
#include "widgets/network/parts/part_costs.h"
#include "widgets/pictures/explanation.h"

namespace lambda {

/// What the selected part does, with its formula and its numbers; of several parts the first, of
/// none the picture itself.
ExplanationText explanationOf(const Architecture& architecture,
                              const NetworkCosts& costs,
                              const Selection& selection);

}  // namespace lambda
