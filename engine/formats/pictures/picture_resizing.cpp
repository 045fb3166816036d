#include "engine/formats/pictures/picture_resizing.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace lambda {

namespace {

/// The source pixels that contribute to one pixel of the result, with weights that sum to 1.
struct Taps {
  int first = 0;
  std::vector<double> weights;
};

/// Taps of the middle `size` pixels of a side that is scaled from `from` to `to` pixels.
std::vector<Taps> tapsOf(int from, int to, int size) {
  const double ratio = static_cast<double>(from) / to;
  const double support = std::max(1.0, ratio);
  const int offset = (to - size) / 2;
  std::vector<Taps> all(static_cast<std::size_t>(size));
  for (int i = 0; i < size; ++i) {
    const double center = (i + offset + 0.5) * ratio;
    const int first = std::max(0, static_cast<int>(std::floor(center - support)));
    const int end = std::min(from, static_cast<int>(std::ceil(center + support)));
    Taps& taps = all[static_cast<std::size_t>(i)];
    taps.first = first;
    double sum = 0;
    for (int at = first; at < end; ++at) {
      taps.weights.push_back(std::max(0.0, 1 - std::abs(at + 0.5 - center) / support));
      sum += taps.weights.back();
    }
    for (double& weight : taps.weights) weight /= sum;
  }
  return all;
}

struct Sides {
  int width = 0;
  int height = 0;
};

/// The sides of a scaled picture that covers `target` and exceeds it in one direction at most.
Sides coveringSides(const Image& picture, const Sides& target) {
  const auto scaled = [](int side, int to, int from) {
    return static_cast<int>(static_cast<std::int64_t>(side) * to / from);
  };
  const bool isTaller = static_cast<std::int64_t>(picture.height) * target.width >
                        static_cast<std::int64_t>(picture.width) * target.height;
  if (isTaller) return {target.width, scaled(picture.height, target.width, picture.width)};
  return {scaled(picture.width, target.height, picture.height), target.height};
}

/// The planes [3, height, width] of a picture as it is.
std::vector<std::uint8_t> planesOf(const Image& picture) {
  const std::size_t positions = picture.rgb.size() / 3;
  std::vector<std::uint8_t> planes(picture.rgb.size());
  for (std::size_t i = 0; i < positions; ++i) {
    for (std::size_t c = 0; c < 3; ++c) planes[c * positions + i] = picture.rgb[3 * i + c];
  }
  return planes;
}

/// The middle of the scaled picture, [3, height, width].
std::vector<std::uint8_t> resizedTo(const Image& picture, const Sides& target) {
  if (picture.width == target.width && picture.height == target.height) return planesOf(picture);
  const Sides whole = coveringSides(picture, target);
  const std::vector<Taps> columns = tapsOf(picture.width, whole.width, target.width);
  const std::vector<Taps> rows = tapsOf(picture.height, whole.height, target.height);
  const auto width = static_cast<std::size_t>(target.width);
  const auto height = static_cast<std::size_t>(target.height);

  // The horizontal pass comes first, into [height of the picture, width, 3]. It leaves out the rows
  // that the vertical pass does not read.
  const int firstRow = rows.front().first;
  const int endRow = rows.back().first + static_cast<int>(rows.back().weights.size());
  std::vector<float> across(static_cast<std::size_t>(endRow - firstRow) * width * 3);
  for (int y = firstRow; y < endRow; ++y) {
    const std::uint8_t* line =
        &picture.rgb[3 * static_cast<std::size_t>(picture.width) * static_cast<std::size_t>(y)];
    float* out = &across[static_cast<std::size_t>(y - firstRow) * width * 3];
    for (std::size_t x = 0; x < width; ++x) {
      const Taps& taps = columns[x];
      for (std::size_t c = 0; c < 3; ++c) {
        double sum = 0;
        for (std::size_t i = 0; i < taps.weights.size(); ++i) {
          sum += taps.weights[i] * line[3 * (static_cast<std::size_t>(taps.first) + i) + c];
        }
        out[3 * x + c] = static_cast<float>(sum);
      }
    }
  }
  std::vector<std::uint8_t> planes(3 * height * width);
  for (std::size_t y = 0; y < height; ++y) {
    const Taps& taps = rows[y];
    const std::size_t first = static_cast<std::size_t>(taps.first - firstRow);
    for (std::size_t x = 0; x < width; ++x) {
      for (std::size_t c = 0; c < 3; ++c) {
        double sum = 0;
        for (std::size_t i = 0; i < taps.weights.size(); ++i) {
          sum += taps.weights[i] * static_cast<double>(across[((first + i) * width + x) * 3 + c]);
        }
        planes[(c * height + y) * width + x] =
            static_cast<std::uint8_t>(std::clamp(sum + 0.5, 0.0, 255.0));
      }
    }
  }
  return planes;
}

Image greyOf(Image picture) {
  for (std::size_t i = 0; i < picture.rgb.size(); i += 3) {
    const double luma =
        0.299 * picture.rgb[i] + 0.587 * picture.rgb[i + 1] + 0.114 * picture.rgb[i + 2];
    const auto grey = static_cast<std::uint8_t>(std::lround(luma));
    std::fill_n(&picture.rgb[i], 3, grey);
  }
  return picture;
}

}  // namespace

std::vector<std::uint8_t> resizedToSquare(const Image& picture, int size) {
  return resizedTo(picture, {size, size});
}

std::vector<std::uint8_t> inputImage(const Image& picture, const MapShape& input) {
  const Sides sides{input.width, input.height};
  if (input.channels == 3) return resizedTo(picture, sides);
  std::vector<std::uint8_t> planes = resizedTo(greyOf(picture), sides);
  planes.resize(planes.size() / 3);
  return planes;
}

}  // namespace lambda
