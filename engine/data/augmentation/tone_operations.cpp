#include "engine/data/augmentation/tone_operations.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace lambda {

namespace {

constexpr int kTones = 256;

using ToneTable = std::array<std::uint8_t, kTones>;

std::size_t planeOf(const MapShape& shape) {
  return static_cast<std::size_t>(shape.positions());
}

std::span<std::uint8_t> channelOf(const MapShape& shape, int channel, std::uint8_t* image) {
  return {image + static_cast<std::size_t>(channel) * planeOf(shape), planeOf(shape)};
}

std::uint8_t clipped(double tone) {
  return static_cast<std::uint8_t>(std::clamp(tone, 0.0, 255.0));
}

std::uint8_t blended(int poorer, int tone, double factor) {
  return clipped(poorer + factor * (tone - poorer));
}

void replaceTones(std::span<std::uint8_t> pixels, const ToneTable& table) {
  for (std::uint8_t& pixel : pixels) pixel = table[pixel];
}

template <class ToneOf>
void mapTones(const MapShape& shape, std::uint8_t* image, ToneOf toneOf) {
  ToneTable table;
  for (int tone = 0; tone < kTones; ++tone) {
    table[static_cast<std::size_t>(tone)] = static_cast<std::uint8_t>(toneOf(tone));
  }
  replaceTones({image, static_cast<std::size_t>(shape.elements())}, table);
}

// The luma of ITU-R BT.601, as in TensorFlow.
std::vector<std::uint8_t> greyOf(const MapShape& shape, const std::uint8_t* image) {
  const std::size_t plane = planeOf(shape);
  if (shape.channels != 3) return {image, image + plane};
  std::vector<std::uint8_t> grey(plane);
  for (std::size_t i = 0; i < plane; ++i) {
    // In ten-thousandths. The sum of TensorFlow's coefficients is 0.9999; with 1 more for blue, a
    // grey pixel keeps its tone.
    const int luma = 2989 * image[i] + 5870 * image[plane + i] + 1141 * image[2 * plane + i];
    grey[i] = static_cast<std::uint8_t>(luma / 10000);
  }
  return grey;
}

ToneTable equalizingTable(std::span<const std::uint8_t> pixels) {
  std::array<int, kTones> histogram{};
  for (const std::uint8_t pixel : pixels) ++histogram[pixel];
  const int last = histogram[*std::ranges::max_element(pixels)];
  const int step = (static_cast<int>(pixels.size()) - last) / (kTones - 1);
  ToneTable table;
  int below = 0;
  for (std::size_t tone = 0; tone < table.size(); ++tone) {
    table[tone] = static_cast<std::uint8_t>(
        step == 0 ? static_cast<int>(tone) : std::min((below + step / 2) / step, kTones - 1));
    below += histogram[tone];
  }
  return table;
}

}  // namespace

void autoContrast(const MapShape& shape, std::uint8_t* image) {
  for (int c = 0; c < shape.channels; ++c) {
    const std::span<std::uint8_t> pixels = channelOf(shape, c, image);
    const auto [low, high] = std::ranges::minmax(pixels);
    if (high == low) continue;
    for (std::uint8_t& pixel : pixels) {
      pixel = static_cast<std::uint8_t>((pixel - low) * 255 / (high - low));
    }
  }
}

void equalize(const MapShape& shape, std::uint8_t* image) {
  for (int c = 0; c < shape.channels; ++c) {
    const std::span<std::uint8_t> pixels = channelOf(shape, c, image);
    replaceTones(pixels, equalizingTable(pixels));
  }
}

void invert(const MapShape& shape, std::uint8_t* image) {
  solarize(shape, 0, image);
}

void posterize(const MapShape& shape, int bits, std::uint8_t* image) {
  const int shift = 8 - bits;
  mapTones(shape, image, [shift](int tone) { return tone >> shift << shift; });
}

void solarize(const MapShape& shape, int threshold, std::uint8_t* image) {
  mapTones(shape, image, [threshold](int tone) { return tone < threshold ? tone : 255 - tone; });
}

void solarizeAdd(const MapShape& shape, int addition, std::uint8_t* image) {
  mapTones(shape, image, [addition](int tone) {
    return tone < 128 ? std::min(tone + addition, 255) : tone;
  });
}

void changeColor(const MapShape& shape, double factor, std::uint8_t* image) {
  if (shape.channels != 3) return;
  const std::vector<std::uint8_t> grey = greyOf(shape, image);
  for (int c = 0; c < shape.channels; ++c) {
    const std::span<std::uint8_t> pixels = channelOf(shape, c, image);
    for (std::size_t i = 0; i < pixels.size(); ++i) {
      pixels[i] = blended(grey[i], pixels[i], factor);
    }
  }
}

void changeContrast(const MapShape& shape, double factor, std::uint8_t* image) {
  long long sum = 0;
  for (const std::uint8_t tone : greyOf(shape, image)) sum += tone;
  const int mean = static_cast<int>(sum / shape.positions());
  mapTones(shape, image, [mean, factor](int tone) { return blended(mean, tone, factor); });
}

void changeBrightness(const MapShape& shape, double factor, std::uint8_t* image) {
  mapTones(shape, image, [factor](int tone) { return blended(0, tone, factor); });
}

void changeSharpness(const MapShape& shape, double factor, std::uint8_t* image) {
  const int width = shape.width;
  for (int c = 0; c < shape.channels; ++c) {
    const std::span<std::uint8_t> pixels = channelOf(shape, c, image);
    const std::vector<std::uint8_t> before(pixels.begin(), pixels.end());
    for (int y = 1; y + 1 < shape.height; ++y) {
      for (int x = 1; x + 1 < width; ++x) {
        const std::uint8_t* centre = before.data() + static_cast<std::ptrdiff_t>(y) * width + x;
        int sum = 4 * *centre;
        for (const std::uint8_t* row : {centre - width, centre, centre + width}) {
          sum += row[-1] + row[0] + row[1];
        }
        pixels[static_cast<std::size_t>(centre - before.data())] =
            blended(sum / 13, *centre, factor);
      }
    }
  }
}

}  // namespace lambda
