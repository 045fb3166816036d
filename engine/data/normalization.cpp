#include "engine/data/normalization.h"

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "engine/runtime/error.h"

namespace lambda {

Normalization measureNormalization(const LabeledImages& images) {
  if (images.count() == 0) {
    throw Error("normalisation",
                "there are no training images to measure",
                "Keep fewer images for validation.");
  }
  const auto channels = static_cast<std::size_t>(images.channels);
  const std::size_t plane = static_cast<std::size_t>(images.height) * images.width;
  std::vector<std::uint64_t> sums(channels), squares(channels);
  for (std::size_t i = 0; i < images.count() * channels; ++i) {
    const std::uint8_t* pixels = images.pixels.data() + i * plane;
    std::uint64_t sum = 0;
    std::uint64_t square = 0;
    for (std::size_t p = 0; p < plane; ++p) {
      sum += pixels[p];
      square += static_cast<std::uint32_t>(pixels[p]) * pixels[p];
    }
    sums[i % channels] += sum;
    squares[i % channels] += square;
  }

  Normalization result;
  const double count = static_cast<double>(images.count() * plane);
  for (std::size_t c = 0; c < channels; ++c) {
    const double mean = static_cast<double>(sums[c]) / count;
    const double variance = static_cast<double>(squares[c]) / count - mean * mean;
    result.mean.push_back(mean / 255);
    result.deviation.push_back(variance > 0 ? std::sqrt(variance) / 255 : 1);
  }
  return result;
}

std::vector<NumberScale> measureNumbers(const LabeledImages& images) {
  const std::size_t width = images.numberNames.size();
  const auto count = static_cast<double>(images.count());
  std::vector<NumberScale> scales;
  for (std::size_t column = 0; column < width; ++column) {
    double sum = 0, squares = 0;
    for (std::size_t i = column; i < images.numbers.size(); i += width) sum += images.numbers[i];
    const double mean = sum / count;
    for (std::size_t i = column; i < images.numbers.size(); i += width) {
      squares += (images.numbers[i] - mean) * (images.numbers[i] - mean);
    }
    const double deviation = std::sqrt(squares / count);
    scales.push_back({images.numberNames[column], mean, deviation > 0 ? deviation : 1});
  }
  return scales;
}

}  // namespace lambda
