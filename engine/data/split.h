#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/values/images/labeled_images.h"

namespace lambda {

/// A partition of indices into two ascending lists.
struct IndexSplit {
  std::vector<std::uint32_t> train;
  std::vector<std::uint32_t> validation;

  bool operator==(const IndexSplit&) const = default;
};

/// Chooses `validationCount` of the labels at random, in proportion to the size of each class
/// (rounded by the largest remainder, so within one image). The result depends only on the
/// arguments. Throws Error unless 0 <= validationCount < labels.size().
IndexSplit stratifiedSplit(std::span<const std::uint16_t> labels,
                           int validationCount,
                           std::uint64_t seed);

/// The same for images, which are all of one class where they have numbers.
IndexSplit splitOf(const LabeledImages& images, int validationCount, std::uint64_t seed);

/// Draws `perClass` images of each class, in ascending order; `labels` are indices into
/// `classNames`. The result depends only on the arguments. A larger number adds images to those of
/// a smaller one. Throws Error, naming the class, if one has too few images.
std::vector<std::uint32_t> drawLabelled(std::span<const std::uint16_t> labels,
                                        const std::vector<std::string>& classNames,
                                        int perClass,
                                        std::uint64_t seed);

}  // namespace lambda
