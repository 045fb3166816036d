#pragma once

#include <vector>

#include "engine/values/labeled_images.h"

namespace lambda {

/// Statistics of each colour channel, of pixels scaled to 0..1. A pixel p (0..255) is normalised to
/// (p / 255 - mean) / deviation.
struct Normalization {
  std::vector<double> mean;       ///< [channels]
  std::vector<double> deviation;  ///< [channels], above 0; 1 for a channel of one value.

  bool operator==(const Normalization&) const = default;
};

/// Mean and standard deviation (of the whole, not a sample's) over all images and positions. Summed
/// in integers: exact, so independent of the order of the images. Throws Error without images.
Normalization measureNormalization(const LabeledImages& images);

}  // namespace lambda
