#include "engine/layers/convolution/patch_whitening.h"

namespace lambda {

namespace {

/// Added to the variances of normalised images, so that directions with only noise are not
/// amplified.
constexpr double kLeastVariance = 1e-2;

}  // namespace

PatchWhitening::PatchWhitening(std::int64_t channels, int side)
    : channels_(channels),
      side_(side),
      products_(at::zeros({channels * side * side, channels * side * side}, at::kDouble)) {}

void PatchWhitening::add(const at::Tensor& images) {
  TORCH_CHECK(images.dim() == 4 && images.size(1) == channels_ && images.size(2) >= side_ &&
                  images.size(3) >= side_,
              "whitening: expected images [n, ",
              channels_,
              ", at least ",
              side_,
              ", at least ",
              side_,
              "], got ",
              images.sizes());
  const at::NoGradGuard noGradient;
  const at::Tensor patches = at::im2col(
      images.to(at::kCPU, at::kFloat).contiguous(), {side_, side_}, {1, 1}, {0, 0}, {1, 1});
  // Images are added in double; the few patches of one image may be added in float.
  products_ += patches.bmm(patches.transpose(1, 2)).sum(0, /*keepdim=*/false, at::kDouble);
  patches_ += patches.size(0) * patches.size(2);
}

at::Tensor PatchWhitening::filters(std::int64_t depth) const {
  const std::int64_t values = products_.size(0);
  TORCH_CHECK(depth >= 1 && depth <= 2 * values,
              "whitening: patches of ",
              values,
              " values give 1 to ",
              2 * values,
              " filters, not ",
              depth);
  TORCH_CHECK(patches_ > 0, "whitening: no images were added");
  const auto [variances, directions] = at::linalg_eigh(products_ / patches_);
  const std::int64_t kept = (depth + 1) / 2;
  // linalg_eigh() returns the greatest variances last.
  const at::Tensor greatest = directions.narrow(1, values - kept, kept).flip(1);
  const at::Tensor variance = variances.narrow(0, values - kept, kept).flip(0).clamp_min(0);
  const at::Tensor scaled = (greatest / (variance + kLeastVariance).sqrt()).t();
  return at::cat({scaled, -scaled})
      .narrow(0, 0, depth)
      .reshape({depth, channels_, side_, side_})
      .to(at::kFloat);
}

}  // namespace lambda
