#include "engine/data/augmentation/geometry_operations.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

namespace lambda {

AffineMap rotation(double degrees, int width, int height) {
  const double radians = degrees * std::numbers::pi / 180;
  const double cosine = std::cos(radians);
  const double sine = std::sin(radians);
  const double x = (width - 1) / 2.0;
  const double y = (height - 1) / 2.0;
  return {cosine, -sine, x - cosine * x + sine * y, sine, cosine, y - sine * x - cosine * y};
}

void warp(const MapShape& shape, const AffineMap& map, std::uint8_t fill, std::uint8_t* image) {
  const auto plane = static_cast<std::size_t>(shape.positions());
  const std::vector<std::uint8_t> before(image, image + shape.elements());
  const auto channels = static_cast<std::size_t>(shape.channels);
  for (int y = 0; y < shape.height; ++y) {
    for (int x = 0; x < shape.width; ++x, ++image) {
      // Half a pixel up and then down: std::round would be a call for every pixel.
      const double column = std::floor(map[0] * x + map[1] * y + map[2] + 0.5);
      const double row = std::floor(map[3] * x + map[4] * y + map[5] + 0.5);
      const bool isInside = column >= 0 && column < shape.width && row >= 0 && row < shape.height;
      const std::size_t from =
          isInside ? static_cast<std::size_t>(row) * static_cast<std::size_t>(shape.width) +
                         static_cast<std::size_t>(column)
                   : 0;
      for (std::size_t c = 0; c < channels; ++c) {
        image[c * plane] = isInside ? before[c * plane + from] : fill;
      }
    }
  }
}

void fillRectangle(const MapShape& shape,
                   const PixelRectangle& rectangle,
                   std::uint8_t fill,
                   std::uint8_t* image) {
  for (int c = 0; c < shape.channels; ++c) {
    for (int y = rectangle.top; y < rectangle.bottom; ++y) {
      std::uint8_t* row = image + (static_cast<std::ptrdiff_t>(c) * shape.height + y) * shape.width;
      std::fill(row + rectangle.left, row + rectangle.right, fill);
    }
  }
}

}  // namespace lambda
