#include "engine/data/augmentation/pixel_rectangle.h"

#include <algorithm>

namespace lambda {

PixelRectangle rectangleAround(
    int x, int y, int width, int height, int imageWidth, int imageHeight) {
  const int left = x - width / 2;
  const int top = y - height / 2;
  return {std::max(left, 0),
          std::max(top, 0),
          std::min(left + width, imageWidth),
          std::min(top + height, imageHeight)};
}

}  // namespace lambda
