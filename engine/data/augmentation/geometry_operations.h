#pragma once

#include <array>
#include <cstdint>

#include "engine/data/augmentation/pixel_rectangle.h"
#include "engine/values/architecture/architecture.h"

namespace lambda {

/// Pixel (x, y) of the result shows pixel (m[0] x + m[1] y + m[2], m[3] x + m[4] y + m[5]).
using AffineMap = std::array<double, 6>;

/// Counter-clockwise by `degrees` about the centre of an image of `width` x `height`.
AffineMap rotation(double degrees, int width, int height);

/// Maps an 8-bit image [c, h, w] in place, with the nearest pixel; pixels from outside become
/// `fill`.
void warp(const MapShape& shape, const AffineMap& map, std::uint8_t fill, std::uint8_t* image);

/// Sets a rectangle of an 8-bit image [c, h, w] to `fill`.
void fillRectangle(const MapShape& shape,
                   const PixelRectangle& rectangle,
                   std::uint8_t fill,
                   std::uint8_t* image);

}  // namespace lambda
