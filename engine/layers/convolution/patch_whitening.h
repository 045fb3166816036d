#pragma once

#include <cstdint>

#include <ATen/ATen.h>

namespace lambda {

/// How the values of square patches of images vary together, and the filters that undo it (Jordan,
/// 2024, "94% on CIFAR-10 in 3.29 Seconds", section 3.2): a first convolution with them gives
/// channels that are uncorrelated and of one variance, which a network otherwise learns slowly.
class PatchWhitening {
 public:
  /// Patches of channels x side x side values.
  PatchWhitening(std::int64_t channels, int side);

  /// Takes in all patches of images [n, channels, H, W], float, on any device; H, W >= side.
  void add(const at::Tensor& images);

  /// Patches that were taken in.
  std::int64_t patches() const { return patches_; }

  /// [depth, channels, side, side] float on the CPU: the directions of the patches' greatest
  /// variance, each scaled to variance 1 over them, then the same with the other sign, which an
  /// activation tells apart. 1 <= depth <= 2 channels side^2; an odd one lacks the last of the
  /// second half.
  at::Tensor filters(std::int64_t depth) const;

 private:
  std::int64_t channels_;
  std::int64_t side_;
  std::int64_t patches_ = 0;
  at::Tensor products_;  // [values, values] float64: sum over the patches of p p^T.
};

}  // namespace lambda
