#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/data/augmentation/pixel_rectangle.h"
#include "engine/data/augmentation/rand_augment.h"
#include "engine/data/normalization.h"
#include "engine/values/architecture/architecture.h"
#include "engine/values/config/run_config.h"
#include "engine/values/images/labeled_images.h"

namespace lambda {

/// The memory layout of the floats of a batch [n, c, h, w].
enum class PixelLayout {
  nchw,  ///< One plane after the other.
  nhwc,  ///< The channels of a pixel are adjacent: torch's channels-last format.
};

/// The random augmentation of one image in one epoch.
struct AugmentationDraw {
  int shiftX = 0;  ///< Column x shows column x + shiftX of the image; at most cropPadding.
  int shiftY = 0;  ///< The same for rows.
  bool flip = false;
  int cutoutX = 0;  ///< Centre of the cutout, anywhere in the image: its square may be clipped.
  int cutoutY = 0;

  bool operator==(const AugmentationDraw&) const = default;
};

/// Turns stored images into a network's input by shift with padding, flip, RandAugment, random
/// erasing, cutout and normalisation, in this order. The draws are a function of (seed, epoch,
/// index) and the config; switching one augmentation off does not change the draws of the others.
/// Thread-safe.
class Augmenter {
 public:
  /// Throws Error if the padding does not fit the image (0 <= cropPadding < height and width), the
  /// cutout is negative, the erasing probability is not in [0, 1], the channels of `normalization`
  /// and `shape` differ in number, or RandAugment refuses its values.
  Augmenter(MapShape shape,
            AugmentationConfig config,
            const Normalization& normalization,
            std::uint64_t seed);

  const AugmentationConfig& config() const { return config_; }

  /// [c] each: a byte p of channel c becomes p * scale()[c] + shift()[c], rounded twice.
  std::span<const float> scale() const { return scale_; }

  std::span<const float> shift() const { return shift_; }

  AugmentationDraw draw(std::uint64_t epoch, std::uint64_t index) const;

  /// For training: writes the images `indices` of `images`, augmented for `epoch`, to
  /// out [n, c, h, w].
  void augment(const LabeledImages& images,
               std::span<const std::uint32_t> indices,
               std::uint64_t epoch,
               PixelLayout layout,
               float* out) const;

  /// For evaluation: writes images [first, first + count), only normalised, to
  /// out [count, c, h, w].
  void normalize(const LabeledImages& images,
                 std::size_t first,
                 std::size_t count,
                 PixelLayout layout,
                 float* out) const;

  /// For previews: writes one image [c, h, w], augmented as by augment(), in eight bits and without
  /// normalisation. Cutout and random erasing show the rounded mean. `out` must not overlap
  /// `image`.
  void preview(const std::uint8_t* image,
               std::uint64_t epoch,
               std::uint64_t index,
               std::uint8_t* out) const;

 private:
  /// Whether an image of an alternating flip is flipped in epoch 0.
  bool flipsAtFirst(std::uint64_t index) const;

  /// The rectangles that cutout and random erasing remove; they may overlap.
  std::vector<PixelRectangle> removedFrom(const AugmentationDraw& draw,
                                          std::uint64_t epoch,
                                          std::uint64_t index) const;
  void shiftAndFlip(const std::uint8_t* image,
                    const AugmentationDraw& draw,
                    std::uint8_t* out) const;
  void normalizeImage(const std::uint8_t* image, PixelLayout layout, float* out) const;
  void clear(const PixelRectangle& rectangle, PixelLayout layout, float* out) const;

  MapShape shape_;
  AugmentationConfig config_;
  std::uint64_t seed_;
  RandAugment randAugment_;
  std::vector<float> scale_;        // [c]: normalised = byte * scale + shift.
  std::vector<float> shift_;        // [c]
  std::vector<std::uint8_t> mean_;  // [c], rounded.
};

}  // namespace lambda
