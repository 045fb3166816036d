#pragma once

#include <vector>

namespace lambda {

/// Mean and standard deviation of each colour channel, for pixels scaled to 0..1. A pixel p
/// (0..255) is normalised to (p / 255 - mean) / deviation.
struct Normalization {
  std::vector<double> mean;       ///< [channels]
  std::vector<double> deviation;  ///< [channels], above 0; 1 for a constant channel.

  bool operator==(const Normalization&) const = default;
};

}  // namespace lambda
