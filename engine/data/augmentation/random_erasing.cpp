#include "engine/data/augmentation/random_erasing.h"

#include <algorithm>
#include <cmath>

#include "engine/runtime/random.h"

namespace lambda {

namespace {

// Separates these random streams from other uses of the seed.
constexpr std::uint64_t kErasingStream = 0x6572617365;

constexpr double kSmallestArea = 0.02;
constexpr double kLargestArea = 0.4;
constexpr double kSmallestAspect = 0.3;

// The algorithm of the paper repeats without end; on a very long image no rectangle may fit.
constexpr int kAttempts = 100;

}  // namespace

std::optional<PixelRectangle> drawErasing(int width,
                                          int height,
                                          double probability,
                                          std::uint64_t seed,
                                          std::uint64_t epoch,
                                          std::uint64_t index) {
  KeyedRandom random({kErasingStream, seed, epoch, index});
  if (random.unit() >= probability) return std::nullopt;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const double area = random.uniform(kSmallestArea, kLargestArea) * width * height;
    const double aspect = random.uniform(kSmallestAspect, 1 / kSmallestAspect);
    const int rows = std::max(1, static_cast<int>(std::lround(std::sqrt(area * aspect))));
    const int columns = std::max(1, static_cast<int>(std::lround(std::sqrt(area / aspect))));
    if (rows > height || columns > width) continue;
    const int left = random.between(0, width - columns);
    const int top = random.between(0, height - rows);
    return PixelRectangle{left, top, left + columns, top + rows};
  }
  return std::nullopt;
}

}  // namespace lambda
