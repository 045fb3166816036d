#pragma once

#include <cstdint>
#include <vector>

#include "engine/values/architecture/architecture.h"
#include "engine/values/images/image.h"

namespace lambda {

/// Scales a picture so that its shorter side has `size` pixels, and crops the middle square, as
/// evaluation on ImageNet does. The filter is a triangle, widened by the scale where the picture
/// becomes smaller, to avoid aliasing. Returns [3, size, size], planes of red, green and blue, with
/// the same bits on every machine. Requires a picture that is not empty and size > 0.
std::vector<std::uint8_t> resizedToSquare(const Image& picture, int size);

/// A picture as the input of a network, in eight bits [channels, height, width]: scaled as above
/// until it covers the input, and cropped to the middle. For one channel it is made grey first, by
/// the luma of ITU-R BT.601. Requires a picture that is not empty, and one or three channels.
std::vector<std::uint8_t> inputImage(const Image& picture, const MapShape& input);

}  // namespace lambda
