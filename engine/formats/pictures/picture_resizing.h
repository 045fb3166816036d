#pragma once

#include <cstdint>
#include <vector>

#include "engine/values/image.h"

namespace lambda {

/// Scales a picture so that its shorter side has `size` pixels, and cuts the middle square out of
/// it: what evaluation on ImageNet does. The filter is a triangle, widened by the ratio where the
/// picture becomes smaller, so that nothing aliases. Returns [3, size, size], planes of red, green
/// and blue. The same bits on every machine. Requires a picture that is not empty and size > 0.
std::vector<std::uint8_t> resizedToSquare(const Image& picture, int size);

}  // namespace lambda
