#include "engine/data/augmentation/rand_augment.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "engine/data/augmentation/geometry_operations.h"
#include "engine/data/augmentation/tone_operations.h"
#include "engine/runtime/error.h"
#include "engine/runtime/random.h"

namespace lambda {

namespace {

// Separates these random streams from other uses of the seed.
constexpr std::uint64_t kRandAugmentStream = 0x72616E64617567;

constexpr std::uint8_t kFill = 128;

// At magnitude 10, as in the source of the paper for images of 224 x 224 pixels.
constexpr double kFullMagnitude = 10;
constexpr double kDegrees = 30;
constexpr double kShear = 0.3;
constexpr double kTranslation = 100.0 / 224;
constexpr double kCutoutHalf = 40.0 / 224;
constexpr int kBits = 4;
constexpr int kThreshold = 256;
constexpr int kAddition = 110;

void check(const MapShape& shape, int operations, double magnitude) {
  if (operations < 0) {
    throw Error("data.augmentation.randAugmentOperations",
                std::to_string(operations) + " is not a number of operations",
                "Choose 0 or more.");
  }
  if (!std::isfinite(magnitude) || magnitude < 0) {
    throw Error("data.augmentation.randAugmentMagnitude",
                std::to_string(magnitude) + " is not a magnitude",
                "Choose 0 or more.");
  }
  if (operations > 0 && shape.channels != 1 && shape.channels != 3) {
    throw Error("data.augmentation.randAugmentOperations",
                "RandAugment needs images with 1 or 3 channels, these have " +
                    std::to_string(shape.channels),
                "Choose 0 operations.");
  }
}

}  // namespace

RandAugment::RandAugment(MapShape shape, int operations, double magnitude, std::uint64_t seed)
    : shape_(shape), operations_(operations), magnitude_(magnitude), seed_(seed) {
  check(shape, operations, magnitude);
}

std::vector<RandDraw> RandAugment::draw(std::uint64_t epoch, std::uint64_t index) const {
  KeyedRandom random({kRandAugmentStream, seed_, epoch, index});
  std::vector<RandDraw> draws(static_cast<std::size_t>(operations_));
  for (RandDraw& draw : draws) {
    draw.operation = static_cast<RandOperation>(random.below(kRandOperations));
    draw.negative = random.coin();
    draw.cutoutX = random.between(0, shape_.width - 1);
    draw.cutoutY = random.between(0, shape_.height - 1);
  }
  return draws;
}

void RandAugment::changeTones(RandOperation operation, std::uint8_t* image) const {
  const double strength = magnitude_ / kFullMagnitude;
  const double factor = 0.1 + 1.8 * strength;
  const auto whole = [strength](int full, int most) {
    return static_cast<int>(std::min<double>(strength * full, most));
  };
  switch (operation) {
    case RandOperation::autoContrast:
      return autoContrast(shape_, image);
    case RandOperation::equalize:
      return equalize(shape_, image);
    case RandOperation::invert:
      return invert(shape_, image);
    case RandOperation::posterize:
      return posterize(shape_, whole(kBits, 8), image);
    case RandOperation::solarize:
      return solarize(shape_, whole(kThreshold, 256), image);
    case RandOperation::solarizeAdd:
      return solarizeAdd(shape_, whole(kAddition, 255), image);
    case RandOperation::color:
      return changeColor(shape_, factor, image);
    case RandOperation::contrast:
      return changeContrast(shape_, factor, image);
    case RandOperation::brightness:
      return changeBrightness(shape_, factor, image);
    default:
      return changeSharpness(shape_, factor, image);
  }
}

void RandAugment::changeGeometry(const RandDraw& draw, std::uint8_t* image) const {
  const double strength = magnitude_ / kFullMagnitude;
  const double signedStrength = draw.negative ? -strength : strength;
  const double shear = signedStrength * kShear;
  const auto moved = [signedStrength](int side) {
    return std::round(signedStrength * kTranslation * side);
  };
  switch (draw.operation) {
    case RandOperation::rotate:
      return warp(
          shape_, rotation(signedStrength * kDegrees, shape_.width, shape_.height), kFill, image);
    case RandOperation::shearX:
      return warp(shape_, {1, shear, 0, 0, 1, 0}, kFill, image);
    case RandOperation::shearY:
      return warp(shape_, {1, 0, 0, shear, 1, 0}, kFill, image);
    case RandOperation::translateX:
      return warp(shape_, {1, 0, moved(shape_.width), 0, 1, 0}, kFill, image);
    case RandOperation::translateY:
      return warp(shape_, {1, 0, 0, 0, 1, moved(shape_.height)}, kFill, image);
    default:
      break;
  }
  const int shorter = std::min(shape_.width, shape_.height);
  const int half = static_cast<int>(std::lround(std::min(strength * kCutoutHalf, 1.0) * shorter));
  fillRectangle(shape_,
                squareAround(draw.cutoutX, draw.cutoutY, 2 * half, shape_.width, shape_.height),
                kFill,
                image);
}

void RandAugment::apply(const RandDraw& draw, std::uint8_t* image) const {
  switch (draw.operation) {
    case RandOperation::rotate:
    case RandOperation::shearX:
    case RandOperation::shearY:
    case RandOperation::translateX:
    case RandOperation::translateY:
    case RandOperation::cutout:
      return changeGeometry(draw, image);
    default:
      return changeTones(draw.operation, image);
  }
}

void RandAugment::augment(std::uint64_t epoch, std::uint64_t index, std::uint8_t* image) const {
  if (operations_ == 0) return;
  for (const RandDraw& each : draw(epoch, index)) apply(each, image);
}

}  // namespace lambda
