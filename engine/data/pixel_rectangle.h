#pragma once

namespace lambda {

/// Rows [top, bottom) and columns [left, right) of an image, in pixels.
struct PixelRectangle {
  int left = 0;
  int top = 0;
  int right = 0;
  int bottom = 0;

  bool operator==(const PixelRectangle&) const = default;
};

/// The square of `size` pixels about (x, y), clipped to an image of `width` x `height`.
PixelRectangle squareAround(int x, int y, int size, int width, int height);

}  // namespace lambda
