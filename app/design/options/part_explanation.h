#pragma once

#include "widgets/network/parts/network_parts.h"
#include "widgets/network/parts/part_costs.h"
#include "widgets/pictures/explanation.h"

namespace lambda {

/// The explanation of the selected part, with its formula and its numbers; of several parts the
/// first one's, without a selection that of the picture itself.
ExplanationText explanationOf(const Architecture& architecture,
                              const NetworkCosts& costs,
                              const Selection& selection);

}  // namespace lambda
