#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace lambda {

/// Two disjoint sets of indices that together are all of them; each ascending.
struct IndexSplit {
  std::vector<std::uint32_t> train;
  std::vector<std::uint32_t> validation;

  bool operator==(const IndexSplit&) const = default;
};

/// Chooses `validationCount` of the labels at random, as many of every class as its share of the
/// whole asks (rounded by largest remainder, so within one image). A function of the arguments.
/// Throws Error unless 0 <= validationCount < labels.size().
IndexSplit stratifiedSplit(std::span<const std::uint16_t> labels,
                           int validationCount,
                           std::uint64_t seed);

}  // namespace lambda
