#include "engine/data/augmentation/augmentation.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string>

#include "engine/data/augmentation/geometry_operations.h"
#include "engine/data/augmentation/random_erasing.h"
#include "engine/runtime/error.h"
#include "engine/runtime/random.h"

namespace lambda {

namespace {

// Separates these random streams from other uses of the seed.
constexpr std::uint64_t kAugmentStream = 0x6175676D656E74;
constexpr std::uint64_t kFirstFlipStream = 0x666C6970;

// Mirrors a position into [0, size) without repeating the edge, as torch's "reflect". The position
// lies less than `size` outside.
int reflected(int position, int size) {
  if (position < 0) return -position;
  if (position >= size) return 2 * size - 2 - position;
  return position;
}

// Writes a row shifted by `shift` columns. Pixels from outside the row are mirrored or black.
void shiftRow(
    const std::uint8_t* row, int width, int shift, CropPadding padding, std::uint8_t* out) {
  const int first = std::max(0, -shift);
  const int last = std::min(width, width - shift);
  std::memcpy(out + first, row + first + shift, static_cast<std::size_t>(last - first));
  const auto outside = [&](int x) {
    return padding == CropPadding::reflect ? row[reflected(x + shift, width)] : std::uint8_t{0};
  };
  for (int x = 0; x < first; ++x) out[x] = outside(x);
  for (int x = last; x < width; ++x) out[x] = outside(x);
}

// Three channels have a separate loop, which the compiler vectorises because of the constant
// stride.
void interleaveThree(const std::uint8_t* image,
                     std::size_t plane,
                     const float* scale,
                     const float* shift,
                     float* out) {
  const float s0 = scale[0], s1 = scale[1], s2 = scale[2];
  const float b0 = shift[0], b1 = shift[1], b2 = shift[2];
  for (std::size_t i = 0; i < plane; ++i) {
    out[3 * i] = static_cast<float>(image[i]) * s0 + b0;
    out[3 * i + 1] = static_cast<float>(image[plane + i]) * s1 + b1;
    out[3 * i + 2] = static_cast<float>(image[2 * plane + i]) * s2 + b2;
  }
}

void check(const MapShape& shape, const AugmentationConfig& config, std::size_t channels) {
  const int side = std::min(shape.height, shape.width);
  if (config.cropPadding < 0 || config.cropPadding >= side) {
    throw Error("data.augmentation.cropPadding",
                std::to_string(config.cropPadding) + " pixels do not fit images of " +
                    std::to_string(shape.width) + " x " + std::to_string(shape.height),
                "Choose a padding from 0 to " + std::to_string(side - 1) + ".");
  }
  if (config.cutoutSize < 0) {
    throw Error("data.augmentation.cutoutSize",
                std::to_string(config.cutoutSize) + " is not a valid side of a square",
                "Choose 0 or more.");
  }
  if (!(config.erasingProbability >= 0 && config.erasingProbability <= 1)) {
    throw Error("data.augmentation.erasingProbability",
                std::to_string(config.erasingProbability) + " is not a probability",
                "Choose a number from 0 to 1.");
  }
  if (channels != static_cast<std::size_t>(shape.channels)) {
    throw Error("normalisation",
                "was measured for " + std::to_string(channels) + " channels, but the images have " +
                    std::to_string(shape.channels));
  }
}

}  // namespace

Augmenter::Augmenter(MapShape shape,
                     AugmentationConfig config,
                     const Normalization& normalization,
                     std::uint64_t seed)
    : shape_(shape),
      config_(config),
      seed_(seed),
      randAugment_(shape, config.randAugmentOperations, config.randAugmentMagnitude, seed) {
  check(shape, config, normalization.mean.size());
  for (std::size_t c = 0; c < normalization.mean.size(); ++c) {
    const double deviation = normalization.deviation[c];
    scale_.push_back(static_cast<float>(1 / (255 * deviation)));
    shift_.push_back(static_cast<float>(-normalization.mean[c] / deviation));
    mean_.push_back(static_cast<std::uint8_t>(std::lround(normalization.mean[c] * 255)));
  }
}

AugmentationDraw Augmenter::draw(std::uint64_t epoch, std::uint64_t index) const {
  KeyedRandom random({kAugmentStream, seed_, epoch, index});
  AugmentationDraw draw;
  draw.shiftX = random.between(-config_.cropPadding, config_.cropPadding);
  draw.shiftY = random.between(-config_.cropPadding, config_.cropPadding);
  draw.flip = random.coin();
  if (config_.alternatingFlip) draw.flip = flipsAtFirst(index) != (epoch % 2 == 1);
  draw.flip = draw.flip && config_.horizontalFlip;
  draw.cutoutX = random.between(0, shape_.width - 1);
  draw.cutoutY = random.between(0, shape_.height - 1);
  return draw;
}

bool Augmenter::flipsAtFirst(std::uint64_t index) const {
  return KeyedRandom({kFirstFlipStream, seed_, index}).coin();
}

std::vector<PixelRectangle> Augmenter::removedFrom(const AugmentationDraw& draw,
                                                   std::uint64_t epoch,
                                                   std::uint64_t index) const {
  std::vector<PixelRectangle> removed;
  if (config_.cutoutSize > 0) {
    removed.push_back(
        squareAround(draw.cutoutX, draw.cutoutY, config_.cutoutSize, shape_.width, shape_.height));
  }
  if (config_.erasingProbability > 0) {
    const std::optional<PixelRectangle> erased =
        drawErasing(shape_.width, shape_.height, config_.erasingProbability, seed_, epoch, index);
    if (erased) removed.push_back(*erased);
  }
  return removed;
}

void Augmenter::shiftAndFlip(const std::uint8_t* image,
                             const AugmentationDraw& draw,
                             std::uint8_t* out) const {
  const int height = shape_.height;
  const int width = shape_.width;
  for (int c = 0; c < shape_.channels; ++c) {
    for (int y = 0; y < height; ++y, out += width) {
      const int from = y + draw.shiftY;
      if (config_.padding == CropPadding::zero && (from < 0 || from >= height)) {
        std::memset(out, 0, static_cast<std::size_t>(width));
        continue;
      }
      const std::size_t row = static_cast<std::size_t>(c) * height + reflected(from, height);
      shiftRow(image + row * width, width, draw.shiftX, config_.padding, out);
      if (draw.flip) std::reverse(out, out + width);
    }
  }
}

void Augmenter::normalizeImage(const std::uint8_t* image, PixelLayout layout, float* out) const {
  const auto channels = static_cast<std::size_t>(shape_.channels);
  const auto plane = static_cast<std::size_t>(shape_.positions());
  if (layout == PixelLayout::nhwc && channels == 3) {
    interleaveThree(image, plane, scale_.data(), shift_.data(), out);
    return;
  }
  const std::size_t step = layout == PixelLayout::nhwc ? channels : 1;
  const std::size_t jump = layout == PixelLayout::nhwc ? 1 : plane;
  for (std::size_t c = 0; c < channels; ++c) {
    const float scale = scale_[c];
    const float shift = shift_[c];
    for (std::size_t i = 0; i < plane; ++i) {
      out[c * jump + i * step] = static_cast<float>(image[c * plane + i]) * scale + shift;
    }
  }
}

// After normalisation, 0 is exactly the mean.
void Augmenter::clear(const PixelRectangle& rectangle, PixelLayout layout, float* out) const {
  const bool interleaved = layout == PixelLayout::nhwc;
  const int planes = interleaved ? 1 : shape_.channels;
  const int step = interleaved ? shape_.channels : 1;
  for (int c = 0; c < planes; ++c) {
    for (int y = rectangle.top; y < rectangle.bottom; ++y) {
      float* row = out + (static_cast<std::ptrdiff_t>(c) * shape_.height + y) * shape_.width * step;
      std::fill(row + rectangle.left * step, row + rectangle.right * step, 0.0F);
    }
  }
}

void Augmenter::augment(const LabeledImages& images,
                        std::span<const std::uint32_t> indices,
                        std::uint64_t epoch,
                        PixelLayout layout,
                        float* out) const {
  const auto size = static_cast<std::size_t>(shape_.elements());
  std::vector<std::uint8_t> moved(size);
  for (const std::uint32_t index : indices) {
    const AugmentationDraw drawn = draw(epoch, index);
    shiftAndFlip(images.pixels.data() + index * size, drawn, moved.data());
    randAugment_.augment(epoch, index, moved.data());
    normalizeImage(moved.data(), layout, out);
    for (const PixelRectangle& each : removedFrom(drawn, epoch, index)) clear(each, layout, out);
    out += size;
  }
}

void Augmenter::normalize(const LabeledImages& images,
                          std::size_t first,
                          std::size_t count,
                          PixelLayout layout,
                          float* out) const {
  const auto size = static_cast<std::size_t>(shape_.elements());
  for (std::size_t i = first; i < first + count; ++i, out += size) {
    normalizeImage(images.pixels.data() + i * size, layout, out);
  }
}

void Augmenter::preview(const std::uint8_t* image,
                        std::uint64_t epoch,
                        std::uint64_t index,
                        std::uint8_t* out) const {
  const AugmentationDraw drawn = draw(epoch, index);
  shiftAndFlip(image, drawn, out);
  randAugment_.augment(epoch, index, out);
  const MapShape plane{1, shape_.height, shape_.width};
  for (const PixelRectangle& each : removedFrom(drawn, epoch, index)) {
    std::uint8_t* channel = out;
    for (const std::uint8_t mean : mean_) {
      fillRectangle(plane, each, mean, channel);
      channel += plane.elements();
    }
  }
}

}  // namespace lambda
