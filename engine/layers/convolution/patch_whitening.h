#pragma once

#include <cstdint>

#include <ATen/ATen.h>

namespace lambda {

/// The second moments of square patches of images, and the filters that whiten the patches (Jordan,
/// 2024, "94% on CIFAR-10 in 3.29 Seconds", section 3.2). A first convolution with these filters
/// gives uncorrelated channels of equal variance, which a network otherwise learns slowly.
class PatchWhitening {
 public:
  /// Patches of channels x side x side values.
  PatchWhitening(std::int64_t channels, int side);

  /// Adds all patches of images [n, channels, H, W], float, on any device. Throws c10::Error unless
  /// H, W >= side and the channels match.
  void add(const at::Tensor& images);

  /// Number of patches added.
  std::int64_t patches() const { return patches_; }

  /// Filters [depth, channels, side, side], float, on the CPU: the directions of greatest variance
  /// of the patches, scaled so that this variance becomes 1, then the same directions with the
  /// opposite sign, because an activation treats the signs differently. An odd depth lacks the last
  /// of the second half. Throws c10::Error unless 1 <= depth <= 2 channels side^2 and there are
  /// patches.
  at::Tensor filters(std::int64_t depth) const;

 private:
  std::int64_t channels_;
  std::int64_t side_;
  std::int64_t patches_ = 0;
  at::Tensor products_;  // [values, values] float64: sum over the patches of p p^T.
};

}  // namespace lambda
