#include "engine/training/input/tensor_batch.h"

#include <algorithm>
#include <utility>

#include <ATen/ATen.h>

#include "engine/data/augmentation/mixing.h"

namespace lambda {

namespace {

at::TensorOptions hostOptions(at::ScalarType type, const at::Device& device) {
  return at::TensorOptions(type).pinned_memory(device.is_cuda());
}

/// The partners [b] int64, on a device.
at::Tensor partnersOn(const at::Device& device, const MixingDraw& draw) {
  const at::Tensor partners =
      at::empty({static_cast<std::int64_t>(draw.partners.size())}, hostOptions(at::kLong, device));
  std::ranges::copy(draw.partners, partners.mutable_data_ptr<std::int64_t>());
  return partners.to(device, at::kLong, /*non_blocking=*/true);
}

void mixImages(at::Tensor& images, const at::Tensor& partners, const MixingDraw& draw) {
  if (draw.kind == MixingKind::mixup) {
    // One operation, which rounds to bfloat16 once.
    images.lerp_(images.index_select(0, partners), 1 - draw.share);
    return;
  }
  const PixelRectangle& box = draw.box;
  const at::Tensor part = images.narrow(2, box.top, box.height()).narrow(3, box.left, box.width());
  part.copy_(part.index_select(0, partners));
}

}  // namespace

TensorBatch mixed(TensorBatch batch, const MixingDraw& draw) {
  const at::Device device = batch.images.device();
  const at::Tensor partners = partnersOn(device, draw);
  mixImages(batch.images, partners, draw);
  batch.partnerLabels = batch.labels.index_select(0, partners);
  if (draw.share < 0.5) std::swap(batch.labels, batch.partnerLabels);
  batch.share = at::full(
      {}, std::max(draw.share, 1 - draw.share), at::TensorOptions(device).dtype(at::kFloat));
  return batch;
}

}  // namespace lambda
