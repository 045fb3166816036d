#pragma once

#include "engine/values/images/labeled_images.h"
#include "engine/values/images/normalization.h"

namespace lambda {

/// Measures mean and standard deviation (of the population, not of a sample) over all images and
/// positions. The sums are integers, so the result is exact and does not depend on the order of the
/// images. Throws Error if there are no images.
Normalization measureNormalization(const LabeledImages& images);

}  // namespace lambda
