#pragma once

#include <cstdint>
#include <map>
#include <span>

#include <ATen/ATen.h>

#include "engine/data/augmentation.h"
#include "engine/kernels/cuda/cuda_kernels.h"
#include "engine/training/input/device_images.h"
#include "engine/training/input/tensor_batch.h"
#include "engine/values/labeled_images.h"
#include "engine/values/run_config.h"

namespace lambda {

/// Makes a network's input from stored images, on the device and in the memory format of a run:
/// on the device itself from images that it keeps there, else on the CPU, the same to the bit.
class BatchMaker {
 public:
  /// `kernels` are those for the device, null if it has none.
  BatchMaker(Augmenter augmenter,
             bool channelsLast,
             Precision precision,
             const at::Device& device,
             const CudaKernels* kernels = nullptr);

  /// Keeps a copy of the images on the device, as long as the maker lives; so long their pixels
  /// must stay where they are. Does nothing where kernels can't make batches of them.
  void keep(const LabeledImages& images);

  /// Training images as epoch `epoch` sees them. Of kept images in bfloat16 where the run computes
  /// in it, which saves the first layer its rounding; else in float32.
  TensorBatch augmented(const LabeledImages& images,
                        std::span<const std::uint32_t> indices,
                        int epoch) const;

  /// Images [first, first + count) as they are, in float32.
  TensorBatch plain(const LabeledImages& images, std::size_t first, std::size_t count) const;

  /// What a network computes in on these batches: float32 or bfloat16.
  Precision precision() const { return precision_; }

 private:
  /// What is on its way to a GPU lies in pinned memory, so that nobody waits for it.
  at::TensorOptions hostOptions(at::ScalarType type) const;

  at::Tensor emptyImages(const LabeledImages& images, std::size_t count) const;

  PixelLayout layout() const { return channelsLast_ ? PixelLayout::nhwc : PixelLayout::nchw; }

  /// Null if they are not kept.
  const DeviceImages* keptOf(const LabeledImages& images) const;

  TensorBatch onDevice(TensorBatch batch) const;

  Augmenter augmenter_;
  bool channelsLast_;
  Precision precision_;
  at::Device device_;
  const CudaKernels* kernels_;
  std::map<const std::uint8_t*, DeviceImages> kept_;  // By the address of the pixels.
};

}  // namespace lambda
