#include "engine/data/pixel_rectangle.h"

#include <algorithm>

namespace lambda {

PixelRectangle squareAround(int x, int y, int size, int width, int height) {
  const int left = x - size / 2;
  const int top = y - size / 2;
  return {std::max(left, 0),
          std::max(top, 0),
          std::min(left + size, width),
          std::min(top + size, height)};
}

}  // namespace lambda
