#pragma once

#include <cstdint>

#include "engine/kernels/element.h"

namespace lambda {

/// Which image of the set a batch contains, and its random augmentation: see AugmentationDraw.
struct CudaImageDraw {
  std::int32_t index = 0;   ///< Of the image in the set.
  std::int32_t shiftX = 0;  ///< In pixels; |shiftX| < width.
  std::int32_t shiftY = 0;  ///< In pixels; |shiftY| < height.
  std::int32_t flip = 0;    ///< 0 or 1
  std::int32_t cutoutX = 0;
  std::int32_t cutoutY = 0;
};

inline constexpr int kMostImageChannels = 4;

/// A batch from a set of images on the device. Steps, in this order and with the same roundings as
/// Augmenter: shift with padding, flip, normalise, cutout. Without draws, normalise only.
struct CudaImageBatch {
  std::int64_t images = 0;               ///< b
  int channels = 0;                      ///< c, up to kMostImageChannels.
  int height = 0;                        ///< H
  int width = 0;                         ///< W
  bool isMirrored = false;               ///< Pixels beyond the image are mirrored; otherwise black.
  int cutoutSize = 0;                    ///< Side in pixels of the square that becomes 0, clipped.
  float scale[kMostImageChannels] = {};  ///< A byte p becomes p * scale + shift.
  float shift[kMostImageChannels] = {};
  const std::uint8_t* pixels = nullptr;   ///< [count, c, H, W], the whole set.
  const std::uint16_t* labels = nullptr;  ///< [count]
  const CudaImageDraw* draws = nullptr;   ///< [b]; null = the images from `first` on, unchanged.
  std::int64_t first = 0;
  bool isChannelsLast = false;  ///< Memory order of `out`.
  Element element = Element::float32;
  void* out = nullptr;                ///< [b, c, H, W]
  std::int64_t* outLabels = nullptr;  ///< [b]
};

}  // namespace lambda
