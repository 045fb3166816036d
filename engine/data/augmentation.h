#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/data/normalization.h"
#include "engine/values/architecture.h"
#include "engine/values/labeled_images.h"
#include "engine/values/run_config.h"

namespace lambda {

/// How the floats of a batch [n, c, h, w] lie in memory.
enum class PixelLayout {
  nchw,  ///< One plane after the other.
  nhwc,  ///< The channels of a pixel side by side: torch's channels-last memory format.
};

/// What was drawn for one image in one epoch.
struct AugmentationDraw {
  int shiftX = 0;  ///< Column x shows column x + shiftX of the image; at most cropPadding.
  int shiftY = 0;  ///< As shiftX, for rows.
  bool flip = false;
  int cutoutX = 0;  ///< Centre of the cutout, anywhere in the image: its square may be clipped.
  int cutoutY = 0;

  bool operator==(const AugmentationDraw&) const = default;
};

/// Turns stored images into a network's input: shift with padding, flip, cutout, normalise, in this
/// order. What is drawn is a function of (seed, epoch, index) and the config; switching one
/// augmentation off leaves the draws of the others as they were. Thread-safe.
class Augmenter {
 public:
  /// Throws Error where the padding does not fit the image (0 <= cropPadding < height and width),
  /// the cutout is negative, or `normalization` has another number of channels than `shape`.
  Augmenter(MapShape shape,
            AugmentationConfig config,
            const Normalization& normalization,
            std::uint64_t seed);

  const AugmentationConfig& config() const { return config_; }

  /// [c] each: a byte p of channel c becomes p * scale()[c] + shift()[c], rounded twice.
  std::span<const float> scale() const { return scale_; }

  std::span<const float> shift() const { return shift_; }

  AugmentationDraw draw(std::uint64_t epoch, std::uint64_t index) const;

  /// Training: images `indices` of `images` as epoch `epoch` sees them, to out [n, c, h, w].
  void augment(const LabeledImages& images,
               std::span<const std::uint32_t> indices,
               std::uint64_t epoch,
               PixelLayout layout,
               float* out) const;

  /// Evaluation: images [first, first + count) normalised and nothing else, to out [count, c, h,
  /// w].
  void normalize(const LabeledImages& images,
                 std::size_t first,
                 std::size_t count,
                 PixelLayout layout,
                 float* out) const;

  /// Preview: one image [c, h, w] as augment() sees it, in eight bits and before normalisation.
  /// A cutout shows the rounded mean. `out` does not overlap `image`.
  void preview(const std::uint8_t* image,
               std::uint64_t epoch,
               std::uint64_t index,
               std::uint8_t* out) const;

 private:
  struct Rectangle;

  /// Whether an image of an alternating flip is flipped in epoch 0.
  bool flipsAtFirst(std::uint64_t index) const;

  Rectangle cutoutOf(const AugmentationDraw& draw) const;
  void shiftAndFlip(const std::uint8_t* image,
                    const AugmentationDraw& draw,
                    std::uint8_t* out) const;
  void normalizeImage(const std::uint8_t* image, PixelLayout layout, float* out) const;
  void clear(const Rectangle& rectangle, PixelLayout layout, float* out) const;

  MapShape shape_;
  AugmentationConfig config_;
  std::uint64_t seed_;
  std::vector<float> scale_;        // [c]: normalised = byte * scale + shift.
  std::vector<float> shift_;        // [c]
  std::vector<std::uint8_t> mean_;  // [c], rounded.
};

}  // namespace lambda
