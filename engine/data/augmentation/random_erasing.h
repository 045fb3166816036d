#pragma once

#include <cstdint>
#include <optional>

#include "engine/data/augmentation/pixel_rectangle.h"

namespace lambda {

/// The rectangle that random erasing removes from an image of `width` x `height`, none for a share
/// 1 - `probability` of the images. Zhong et al., AAAI 2020, algorithm 1: the area is uniform in
/// 2 % to 40 % of the image, height / width uniform in 0.3 to 1 / 0.3, before rounding to whole
/// pixels, and the place uniform. A function of (seed, epoch, index).
std::optional<PixelRectangle> drawErasing(int width,
                                          int height,
                                          double probability,
                                          std::uint64_t seed,
                                          std::uint64_t epoch,
                                          std::uint64_t index);

}  // namespace lambda
