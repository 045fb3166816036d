#pragma once

#include <cstdint>
#include <vector>

namespace lambda {

/// An RGB picture with 8 bits per channel.
struct Image {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgb;  ///< [height, width, 3], top row first.

  bool operator==(const Image&) const = default;
};

}  // namespace lambda
