#pragma once

#include <string>
#include <vector>

#include "engine/values/images/normalization.h"

namespace lambda {

/// What a trained network needs besides its weights to classify an image: how the image becomes its
/// input, and what its classes are called. The input's shape is in its Architecture. A run that an
/// earlier version trained does not have it: all lists are empty.
struct NetworkInput {
  Normalization normalization;          ///< Of the training images.
  std::vector<std::string> classNames;  ///< [classes]

  bool isKnown() const { return !normalization.mean.empty(); }

  bool operator==(const NetworkInput&) const = default;
};

}  // namespace lambda
