#pragma once

namespace lambda {

/// Rows [top, bottom) and columns [left, right) of an image, in pixels.
struct PixelRectangle {
  int left = 0;
  int top = 0;
  int right = 0;
  int bottom = 0;

  int width() const { return right - left; }

  int height() const { return bottom - top; }

  bool operator==(const PixelRectangle&) const = default;
};

/// The rectangle of `width` x `height` pixels about (x, y), clipped to an image of `imageWidth` x
/// `imageHeight`.
PixelRectangle rectangleAround(
    int x, int y, int width, int height, int imageWidth, int imageHeight);

/// The same for a square of `size` pixels.
inline PixelRectangle squareAround(int x, int y, int size, int imageWidth, int imageHeight) {
  return rectangleAround(x, y, size, size, imageWidth, imageHeight);
}

}  // namespace lambda
