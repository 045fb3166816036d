#pragma once

#include <string>
#include <vector>

#include "engine/values/images/normalization.h"

namespace lambda {

/// A number that a network learns: an output o means mean + deviation * o.
struct NumberScale {
  std::string name;
  double mean = 0;       ///< Of the training images.
  double deviation = 1;  ///< Likewise, above 0; 1 for a constant number.

  bool operator==(const NumberScale&) const = default;
};

/// What a trained network needs besides its weights to use it with an image: how the image becomes
/// its input, and what its outputs mean. The input's shape is in its Architecture. A run that an
/// earlier version trained does not have it: all lists are empty.
struct NetworkInput {
  Normalization normalization;            ///< Of the training images.
  std::vector<std::string> classNames;    ///< [classes]; of a classification.
  std::vector<NumberScale> numbers = {};  ///< [numbers]; of a regression.

  std::size_t outputs() const { return numbers.empty() ? classNames.size() : numbers.size(); }

  std::vector<std::string> outputNames() const {
    std::vector<std::string> names = classNames;
    for (const NumberScale& number : numbers) names.push_back(number.name);
    return names;
  }

  bool isKnown() const { return !normalization.mean.empty(); }

  bool operator==(const NetworkInput&) const = default;
};

}  // namespace lambda
