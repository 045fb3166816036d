#pragma once

#include <cstdint>

#include "engine/values/images/labeled_images.h"

namespace lambda {

/// Which of the two independent series of images is drawn. They have no image in common.
enum class Shapes10Part : std::uint8_t { training = 0, test = 1 };

/// Draws `count` images [count, 3, 32, 32] of shapes10, which needs no download. Each shows
/// a square or a ring and, 12 to 16 pixels away, a dot: left of it, right of it, above, below or
/// diagonal from it. The shape can be recognised locally. The direction of the dot is a relation
/// between two distant places, which a layer that ignores positions cannot learn. Image i depends
/// only on (seed, part, i) and has the same bits on every platform. Every ten images from a
/// multiple of ten on hold each class once. Throws Error if count < 1.
LabeledImages drawShapes10(std::uint64_t seed, int count, Shapes10Part part);

}  // namespace lambda
