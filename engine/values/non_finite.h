#pragma once

#include <string>

namespace lambda {

/// Where a network first gave a value that is no finite number.
struct NonFinite {
  std::string layer;  ///< "stage2.block1.mixer", or "images" for the input itself.
  std::string what;   ///< "12 of 4096 output values are not finite".

  bool operator==(const NonFinite&) const = default;
};

}  // namespace lambda
