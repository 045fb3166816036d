#pragma once

#include <cstdint>

#include "engine/values/labeled_images.h"

namespace lambda {

/// Which of the two independent series of images is drawn; they share no image.
enum class Shapes10Part : std::uint8_t { training = 0, test = 1 };

/// Draws `count` images [count, 3, 32, 32] of shapes10, the set that needs no download. Each shows
/// a square or a ring and, 12 to 16 pixels away, a dot: left of it, right of it, above, below or
/// diagonal from it. Which shape it is can be seen locally; where the dot lies is a relation
/// between two distant places, which a layer that ignores positions cannot learn. Image i is a
/// function of (seed, part, i) alone and the same bits on every platform; each run of ten images
/// from a multiple of ten holds every class once. Throws Error if count < 1.
LabeledImages drawShapes10(std::uint64_t seed, int count, Shapes10Part part);

}  // namespace lambda
