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

}  // namespace

std::vector<std::uint8_t> resizedToSquare(const Image& picture, int size) {
  const int shorter = std::min(picture.width, picture.height);
  const auto scaled = [&](int side) {
    return static_cast<int>(static_cast<std::int64_t>(side) * size / shorter);
  };
  const std::vector<Taps> columns = tapsOf(picture.width, scaled(picture.width), size);
  const std::vector<Taps> rows = tapsOf(picture.height, scaled(picture.height), size);
  const auto side = static_cast<std::size_t>(size);

  // The horizontal pass comes first, into [height of the picture, size, 3]. It leaves out the rows
  // that the vertical pass does not read.
  const int firstRow = rows.front().first;
  const int endRow = rows.back().first + static_cast<int>(rows.back().weights.size());
  std::vector<float> across(static_cast<std::size_t>(endRow - firstRow) * side * 3);
  for (int y = firstRow; y < endRow; ++y) {
    const std::uint8_t* line =
        &picture.rgb[3 * static_cast<std::size_t>(picture.width) * static_cast<std::size_t>(y)];
    float* out = &across[static_cast<std::size_t>(y - firstRow) * side * 3];
    for (std::size_t x = 0; x < side; ++x) {
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
  std::vector<std::uint8_t> planes(3 * side * side);
  for (std::size_t y = 0; y < side; ++y) {
    const Taps& taps = rows[y];
    const std::size_t first = static_cast<std::size_t>(taps.first - firstRow);
    for (std::size_t x = 0; x < side; ++x) {
      for (std::size_t c = 0; c < 3; ++c) {
        double sum = 0;
        for (std::size_t i = 0; i < taps.weights.size(); ++i) {
          sum += taps.weights[i] * static_cast<double>(across[((first + i) * side + x) * 3 + c]);
        }
        planes[(c * side + y) * side + x] =
            static_cast<std::uint8_t>(std::clamp(sum + 0.5, 0.0, 255.0));
      }
    }
  }
  return planes;
}

}  // namespace lambda
