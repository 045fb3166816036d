#pragma once

#include <span>

namespace lambda {

/// How many dimensions a matrix really uses: exp of the entropy of its singular values taken as
/// shares (Roy and Vetterli, "The effective rank", 2007). From 1, one value alone, to their number,
/// all alike; 0 where all are 0 or one is not finite.
double effectiveRank(std::span<const float> singularValues);

}  // namespace lambda
