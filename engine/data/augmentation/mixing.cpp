#include "engine/data/augmentation/mixing.h"

#include <cmath>
#include <numbers>
#include <numeric>

#include "engine/runtime/error.h"
#include "engine/runtime/random.h"

namespace lambda {

namespace {

constexpr std::uint64_t kMixStream = 0x6D697865;  // Separates it from other uses of the seed.

double checkedAlpha(const char* place, double alpha) {
  if (std::isfinite(alpha) && alpha >= 0) return alpha;
  throw Error(place, "the alpha of a Beta distribution is not a number above 0", "set 0 for none");
}

/// A draw from Beta(alpha, alpha). t / sqrt(2 alpha + t^2) of Student's t with 2 alpha degrees of
/// freedom is such a draw, scaled to -1..1; t is drawn by the polar method of Bailey (Mathematics
/// of Computation 62, 1994). It needs no rejection and holds for every alpha.
double drawShare(KeyedRandom& random, double alpha) {
  const double radius = std::pow(1 - random.unit(), -1 / alpha) - 1;
  const double cosine = std::cos(2 * std::numbers::pi * random.unit());
  const double ratio = 1 / std::sqrt(1 + 1 / (radius * cosine * cosine));
  return 0.5 + std::copysign(0.5 * ratio, cosine);
}

/// A box of the area 1 - share, centred anywhere, so that the border may cut it off.
PixelRectangle drawBox(KeyedRandom& random, const MapShape& shape, double share) {
  const double scale = std::sqrt(1 - share);
  const auto centre = [&](int side) {
    return static_cast<int>(random.below(static_cast<std::uint32_t>(side)));
  };
  const int x = centre(shape.width);
  const int y = centre(shape.height);
  return rectangleAround(x,
                         y,
                         static_cast<int>(scale * shape.width),
                         static_cast<int>(scale * shape.height),
                         shape.width,
                         shape.height);
}

}  // namespace

BatchMixer::BatchMixer(MapShape shape, const AugmentationConfig& config, std::uint64_t seed)
    : shape_(shape),
      mixupAlpha_(checkedAlpha("data.augmentation.mixupAlpha", config.mixupAlpha)),
      cutmixAlpha_(checkedAlpha("data.augmentation.cutmixAlpha", config.cutmixAlpha)),
      seed_(seed) {}

MixingDraw BatchMixer::draw(BatchPosition position, std::uint32_t count) const {
  KeyedRandom random{kMixStream, seed_, position.epoch, position.batch};
  const bool cuts = cutmixAlpha_ > 0 && (mixupAlpha_ <= 0 || random.coin());
  MixingDraw draw;
  draw.kind = cuts ? MixingKind::cutmix : MixingKind::mixup;
  draw.share = drawShare(random, cuts ? cutmixAlpha_ : mixupAlpha_);
  if (cuts) {
    draw.box = drawBox(random, shape_, draw.share);
    const double area = static_cast<double>(draw.box.width()) * draw.box.height();
    draw.share = 1 - area / (static_cast<double>(shape_.width) * shape_.height);
  }
  draw.partners.resize(count);
  std::iota(draw.partners.begin(), draw.partners.end(), 0U);
  random.shuffle(draw.partners);
  return draw;
}

}  // namespace lambda
