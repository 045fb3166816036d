#pragma once

#include <string>

namespace lambda {

/// Where a network first produced a value that is not finite.
struct NonFinite {
  std::string layer;  ///< "stage2.block1.mixer", or "images" for the input itself.
  std::string what;   ///< "12 of 4096 output values are not finite".

  bool operator==(const NonFinite&) const = default;
};

}  // namespace lambda
