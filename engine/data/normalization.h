#pragma once

#include "engine/values/images/labeled_images.h"
#include "engine/values/images/normalization.h"
#include "engine/values/run/network_input.h"

namespace lambda {

/// Measures mean and standard deviation (of the population, not of a sample) over all images and
/// positions. The sums are integers, so the result is exact and does not depend on the order of the
/// images. Throws Error if there are no images.
Normalization measureNormalization(const LabeledImages& images);

/// The mean and the deviation (of the population) of each number of the images; none where they
/// have classes. Requires images.
std::vector<NumberScale> measureNumbers(const LabeledImages& images);

}  // namespace lambda
