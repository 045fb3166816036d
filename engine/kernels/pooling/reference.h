#pragma once

// The windows of the average pooling by their definition.

#include <cstdint>
#include <cstdlib>
#include <vector>

namespace lambda {

/// The means y that a pixel x [H, W] is part of, as their places in [ceil(H / 2), ceil(W / 2)]:
/// each is a ninth of the sum over the 3x3 pixels around pixel (2 row, 2 column); a border of one
/// pixel of zeros counts.
inline std::vector<std::int64_t> meansOfPixel(std::int64_t pixel,
                                              std::int64_t height,
                                              std::int64_t width) {
  const std::int64_t rows = (height + 1) / 2, columns = (width + 1) / 2;
  std::vector<std::int64_t> means;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      if (std::abs(pixel / width - 2 * row) <= 1 && std::abs(pixel % width - 2 * column) <= 1)
        means.push_back(row * columns + column);
    }
  }
  return means;
}

}  // namespace lambda
