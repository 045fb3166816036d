#pragma once

// The plain sum of a 3x3 convolution. Every kernel of this folder computes the same.

#include <cstdint>

#include "engine/kernels/convolution/convolution_shape.h"

namespace lambda {

/// Calls `work(input, tap, output)` for all pairs of pixels and the tap of the 3x3 kernel by which
/// the output sees the input: y [output, o] is the sum of x [input, c] w [tap, c, o] over them and
/// over c. Pixels are numbered through all images, taps by rows.
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

}  // namespace lambda
