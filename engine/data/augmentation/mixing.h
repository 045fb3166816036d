#pragma once

#include <cstdint>
#include <vector>

#include "engine/data/augmentation/pixel_rectangle.h"
#include "engine/data/batches.h"
#include "engine/values/architecture/architecture.h"
#include "engine/values/config/run_config.h"

namespace lambda {

enum class MixingKind { mixup, cutmix };

/// How the images of one batch are mixed with each other.
struct MixingDraw {
  MixingKind kind = MixingKind::mixup;
  /// Share of an image in its mixture, 0..1; the rest is its partner's. For CutMix it is the share
  /// of the pixels outside the box.
  double share = 1;
  std::vector<std::uint32_t> partners = {};  ///< [b], a permutation of the batch.
  PixelRectangle box = {};                   ///< CutMix: the pixels of the partner; may be empty.

  bool operator==(const MixingDraw&) const = default;
};

/// Draws mixup (Zhang et al., ICLR 2018, arXiv:1710.09412) and CutMix (Yun et al., ICCV 2019,
/// arXiv:1905.04899) for training batches. With both, each batch is mixed by one of them, with
/// equal probabilities. The draws are a function of (seed, epoch, batch) and the configuration, so
/// that a resumed run continues with the same ones. Thread-safe.
class BatchMixer {
 public:
  /// `shape`: of the images. Throws Error for an alpha that is negative or not finite.
  BatchMixer(MapShape shape, const AugmentationConfig& config, std::uint64_t seed);

  /// Whether batches are mixed at all.
  bool mixes() const { return mixupAlpha_ > 0 || cutmixAlpha_ > 0; }

  /// The mixing of the `count` images at a position. Only for a mixer that mixes.
  MixingDraw draw(BatchPosition position, std::uint32_t count) const;

 private:
  MapShape shape_;
  double mixupAlpha_;
  double cutmixAlpha_;
  std::uint64_t seed_;
};

}  // namespace lambda
