#include "engine/training/input/device_images.h"

#include <algorithm>
#include <vector>

#include <c10/core/DeviceGuard.h>

#include "engine/layers/cuda/cuda_queue.h"
#include "engine/training/update/backends/sent_bytes.h"

namespace lambda {

namespace {

/// A copy of `values` on the device, as bytes.
template <class Value>
at::Tensor copied(const std::vector<Value>& values, const at::Device& device) {
  // from_blob() takes no pointer to const; the tensor is only read.
  const at::Tensor host = at::from_blob(const_cast<Value*>(values.data()),
                                        {static_cast<std::int64_t>(values.size() * sizeof(Value))},
                                        at::kByte);
  return host.to(device, at::kByte, /*non_blocking=*/false, /*copy=*/true);
}

CudaImageDraw drawOf(const Augmenter& augmenter, std::uint64_t epoch, std::uint32_t index) {
  const AugmentationDraw draw = augmenter.draw(epoch, index);
  return {static_cast<std::int32_t>(index),
          draw.shiftX,
          draw.shiftY,
          draw.flip ? 1 : 0,
          draw.cutoutX,
          draw.cutoutY};
}

}  // namespace

DeviceImages::DeviceImages(const LabeledImages& images,
                           const at::Device& device,
                           const CudaKernels& kernels)
    : kernels_(kernels),
      pixels_(copied(images.pixels, device)
                  .view({static_cast<std::int64_t>(images.count()),
                         images.channels,
                         images.height,
                         images.width})),
      labels_(copied(images.labels, device)) {}

bool DeviceImages::canHold(const LabeledImages& images) {
  return images.channels <= kMostImageChannels && images.numberNames.empty();
}

TensorBatch DeviceImages::augmented(const Augmenter& augmenter,
                                    std::span<const std::uint32_t> indices,
                                    std::uint64_t epoch,
                                    const BatchFormat& format) const {
  std::vector<CudaImageDraw> draws;
  draws.reserve(indices.size());
  for (const std::uint32_t index : indices) draws.push_back(drawOf(augmenter, epoch, index));
  const at::Tensor onDevice =
      sentBytes(draws.data(), draws.size() * sizeof(CudaImageDraw), pixels_.device());
  CudaImageBatch batch;
  batch.images = static_cast<std::int64_t>(indices.size());
  batch.draws = static_cast<const CudaImageDraw*>(onDevice.const_data_ptr());
  return make(augmenter, batch, format);
}

TensorBatch DeviceImages::plain(const Augmenter& augmenter,
                                std::size_t first,
                                std::size_t count,
                                const BatchFormat& format) const {
  CudaImageBatch batch;
  batch.images = static_cast<std::int64_t>(count);
  batch.first = static_cast<std::int64_t>(first);
  return make(augmenter, batch, format);
}

TensorBatch DeviceImages::make(const Augmenter& augmenter,
                               CudaImageBatch batch,
                               const BatchFormat& format) const {
  const at::Device device = pixels_.device();
  const c10::DeviceGuard guard(device);
  const bool isChannelsLast = format.layout == PixelLayout::nhwc;
  const TensorBatch made{
      at::empty({batch.images, pixels_.size(1), pixels_.size(2), pixels_.size(3)},
                at::TensorOptions(device)
                    .dtype(format.type)
                    .memory_format(isChannelsLast ? at::MemoryFormat::ChannelsLast
                                                  : at::MemoryFormat::Contiguous)),
      at::empty({batch.images}, at::TensorOptions(device).dtype(at::kLong))};
  batch.channels = static_cast<int>(pixels_.size(1));
  batch.height = static_cast<int>(pixels_.size(2));
  batch.width = static_cast<int>(pixels_.size(3));
  batch.isMirrored = augmenter.config().padding == CropPadding::reflect;
  batch.cutoutSize = augmenter.config().cutoutSize;
  std::ranges::copy(augmenter.scale(), batch.scale);
  std::ranges::copy(augmenter.shift(), batch.shift);
  batch.pixels = pixels_.const_data_ptr<std::uint8_t>();
  batch.labels = static_cast<const std::uint16_t*>(labels_.const_data_ptr());
  batch.isChannelsLast = isChannelsLast;
  batch.element = format.type == at::kBFloat16 ? Element::bfloat16 : Element::float32;
  batch.out = made.images.mutable_data_ptr();
  batch.outLabels = made.labels.mutable_data_ptr<std::int64_t>();
  requireSuccess("a batch of images", kernels_.makeImageBatch(batch, queueOf(device)));
  return made;
}

}  // namespace lambda
