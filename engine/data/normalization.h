#pragma once

#include <vector>

#include "engine/values/images/labeled_images.h"

namespace lambda {

/// Mean and standard deviation of each colour channel, for pixels scaled to 0..1. A pixel p
/// (0..255) is normalised to (p / 255 - mean) / deviation.
struct Normalization {
  std::vector<double> mean;       ///< [channels]
  std::vector<double> deviation;  ///< [channels], above 0; 1 for a constant channel.

  bool operator==(const Normalization&) const = default;
};

/// Measures mean and standard deviation (of the population, not of a sample) over all images and
/// positions. The sums are integers, so the result is exact and does not depend on the order of the
/// images. Throws Error if there are no images.
Normalization measureNormalization(const LabeledImages& images);

}  // namespace lambda
