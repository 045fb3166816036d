#pragma once

#include <cstdint>

#include "engine/kernels/convolution/convolution_shape.h"

namespace lambda::test {

/// Calls `work(input, tap, output)` for all pairs of pixels and the tap of the 3x3 kernel by which
/// the output sees the input. Pixels are numbered through all images.
template <class Work>
void forTaps(const ConvolutionShape& shape, const Work& work) {
  for (std::int64_t output = 0; output < shape.images * shape.height * shape.width; ++output) {
    const std::int64_t row = output / shape.width % shape.height, column = output % shape.width;
    for (std::int64_t tap = 0; tap < 9; ++tap) {
      const std::int64_t y = row + tap / 3 - 1, x = column + tap % 3 - 1;
      if (y < 0 || y >= shape.height || x < 0 || x >= shape.width) continue;
      work(output + (y - row) * shape.width + x - column, tap, output);
    }
  }
}

}  // namespace lambda::test
