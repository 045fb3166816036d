#pragma once

#include <cstdint>

#include "engine/kernels/element.h"

namespace lambda {

/// Which image of a set stands in a batch, and how it is moved: see AugmentationDraw.
struct CudaImageDraw {
  std::int32_t index = 0;
  std::int32_t shiftX = 0;  ///< Less than the width, either way.
  std::int32_t shiftY = 0;
  std::int32_t flip = 0;  ///< 0 or 1
  std::int32_t cutoutX = 0;
  std::int32_t cutoutY = 0;
};

inline constexpr int kMostImageChannels = 4;

/// A batch of a set of images that is on the device: shift with padding, flip, normalise, cutout,
/// in this order, each with the roundings of Augmenter. Without draws, normalise alone.
struct CudaImageBatch {
  std::int64_t images = 0;  ///< b
  int channels = 0;         ///< c, up to kMostImageChannels.
  int height = 0;           ///< H
  int width = 0;            ///< W
  bool isMirrored = false;  ///< What a shift brings in from outside is mirrored; else it is black.
  int cutoutSize = 0;       ///< Side of the square, clipped, that becomes 0.
  float scale[kMostImageChannels] = {};  ///< A byte p becomes p * scale + shift.
  float shift[kMostImageChannels] = {};
  const std::uint8_t* pixels = nullptr;   ///< [count, c, H, W], of the set.
  const std::uint16_t* labels = nullptr;  ///< [count]
  const CudaImageDraw* draws = nullptr;  ///< [b]; null = the images from `first` on as they are.
  std::int64_t first = 0;
  bool isChannelsLast = false;  ///< How the floats of `images` lie.
  Element element = Element::float32;
  void* out = nullptr;                ///< [b, c, H, W]
  std::int64_t* outLabels = nullptr;  ///< [b]
};

}  // namespace lambda
