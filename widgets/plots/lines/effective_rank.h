#pragma once

#include <span>

namespace lambda {

/// The effective rank of a matrix: exp of the entropy of its singular values as shares of their sum
/// (Roy and Vetterli, "The effective rank", 2007). It goes from 1, for a single value above 0, to
/// their number, where all are equal; 0 where all are 0 or one is not finite.
double effectiveRank(std::span<const float> singularValues);

}  // namespace lambda
