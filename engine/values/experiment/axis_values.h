#pragma once

#include <string>
#include <vector>

#include "engine/values/experiment/experiment.h"

namespace lambda {

/// The values of an axis as JSON texts, in their order. Empty for a range that has none: bounds
/// that are not finite, and logarithmic ones that are not positive.
std::vector<std::string> valuesOf(const Axis& axis);

}  // namespace lambda
