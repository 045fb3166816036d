#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/kernels/convolution/convolution_shape.h"

namespace lambda {

/// Successive rows of the map of one image.
struct Band {
  std::int64_t image = 0;
  std::int64_t firstRow = 0;
  std::int64_t rows = 0;
};

/// The rows of all maps of a batch in bands: maps with many pixels are divided into bands of about
/// the same number of rows, smaller ones are one band.
class Bands {
 public:
  /// Bands have at most `mostPixels`, or one row.
  Bands(const ConvolutionShape& shape, std::int64_t mostPixels)
      : height_(shape.height),
        inImage_(std::clamp<std::int64_t>(
            (shape.height * shape.width + mostPixels - 1) / mostPixels, 1, shape.height)),
        rows_((shape.height + inImage_ - 1) / inImage_),
        count_(shape.images * inImage_) {}

  std::int64_t count() const { return count_; }

  /// Rows of the largest band.
  std::int64_t rows() const { return rows_; }

  /// The i-th band. The last ones of an image may have fewer rows, or none.
  Band operator[](std::int64_t i) const {
    const std::int64_t first = std::min(i % inImage_ * rows_, height_);
    return {i / inImage_, first, std::min(rows_, height_ - first)};
  }

 private:
  std::int64_t height_;
  std::int64_t inImage_;
  std::int64_t rows_;
  std::int64_t count_;
};

/// The channels of a pixel of x [images, height, width, depth]; null outside of the map.
template <class Value>
Value* pixelOf(const ConvolutionShape& shape,
               Value* x,
               std::int64_t depth,
               std::int64_t image,
               std::int64_t row,
               std::int64_t column) {
  const bool isInside = row >= 0 && row < shape.height && column >= 0 && column < shape.width;
  return isInside ? x + ((image * shape.height + row) * shape.width + column) * depth : nullptr;
}

}  // namespace lambda
