#pragma once

#include <cstdint>
#include <vector>

#include "engine/values/architecture/architecture.h"

namespace lambda {

/// The operations of RandAugment in the TensorFlow source of Cubuk et al., 2020: those of
/// AutoAugment without Identity, and with SolarizeAdd and Cutout.
enum class RandOperation {
  autoContrast,
  equalize,
  invert,
  rotate,
  posterize,
  solarize,
  solarizeAdd,
  color,
  contrast,
  brightness,
  sharpness,
  shearX,
  shearY,
  translateX,
  translateY,
  cutout,
};

constexpr int kRandOperations = 16;

/// One operation for one image.
struct RandDraw {
  RandOperation operation = RandOperation::autoContrast;
  bool negative = false;  ///< Of rotation, shear and translation: to the other side.
  int cutoutX = 0;        ///< Centre of the cutout, in pixels: its square may be clipped.
  int cutoutY = 0;

  bool operator==(const RandDraw&) const = default;
};

/// RandAugment (Cubuk et al., 2020): operations drawn with equal chances, all of one strength. At
/// magnitude 10 they turn by 30 degrees, shear by 0.3, move by 100/224 of the side, cut out a
/// square of 80/224 of the shorter side, keep 4 bits, solarise from 256, add 110 and blend by 1.9;
/// other magnitudes are in proportion (blends: 0.1 + 0.18 magnitude). As in that source, less
/// magnitude therefore posterises and solarises more, and blends by less than 1 below 5.
/// Lengths are relative to the image, where the source has pixels of 224 x 224 images: meant for
/// images from 32 x 32 on, smaller ones work. Pixels from outside become mid-grey, 128.
/// Thread-safe.
class RandAugment {
 public:
  /// Images of `shape`. Throws Error unless they have 1 or 3 channels, `operations` >= 0 and
  /// `magnitude` >= 0 and finite; with 0 operations all shapes are accepted.
  RandAugment(MapShape shape, int operations, double magnitude, std::uint64_t seed);

  /// The operations for an image, a function of (seed, epoch, index). More operations begin with
  /// those of fewer.
  std::vector<RandDraw> draw(std::uint64_t epoch, std::uint64_t index) const;

  /// Applies one operation to an image [c, h, w] in place.
  void apply(const RandDraw& draw, std::uint8_t* image) const;

  /// Applies the operations of draw() in turn.
  void augment(std::uint64_t epoch, std::uint64_t index, std::uint8_t* image) const;

 private:
  void changeTones(RandOperation operation, std::uint8_t* image) const;
  void changeGeometry(const RandDraw& draw, std::uint8_t* image) const;

  MapShape shape_;
  int operations_;
  double magnitude_;
  std::uint64_t seed_;
};

}  // namespace lambda
