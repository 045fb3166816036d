#pragma once

#include <cstdint>
#include <span>

#include <ATen/ATen.h>

#include "engine/data/augmentation.h"
#include "engine/kernels/cuda/cuda_kernels.h"
#include "engine/training/input/tensor_batch.h"
#include "engine/values/labeled_images.h"

namespace lambda {

/// How a batch's images lie in memory.
struct BatchFormat {
  PixelLayout layout = PixelLayout::nchw;
  at::ScalarType type = at::kFloat;  ///< float32 or bfloat16.
};

/// The images of a set as bytes on a GPU, 150 MB for CIFAR-10, and the batches that one kernel
/// makes of them there: to the bit those of Augmenter, rounded to bfloat16 where that is asked for.
/// Nothing waits for the GPU. Lives on the training thread.
class DeviceImages {
 public:
  /// Copies the images. Throws c10::OutOfMemoryError if they don't fit.
  DeviceImages(const LabeledImages& images, const at::Device& device, const CudaKernels& kernels);

  /// Whether the kernel can make batches of such images: up to 4 channels.
  static bool canHold(const LabeledImages& images);

  /// Images `indices` as epoch `epoch` sees them. The augmenter is one for images of this shape.
  TensorBatch augmented(const Augmenter& augmenter,
                        std::span<const std::uint32_t> indices,
                        std::uint64_t epoch,
                        const BatchFormat& format) const;

  /// Images [first, first + count) normalised and nothing else.
  TensorBatch plain(const Augmenter& augmenter,
                    std::size_t first,
                    std::size_t count,
                    const BatchFormat& format) const;

 private:
  TensorBatch make(const Augmenter& augmenter,
                   CudaImageBatch batch,
                   const BatchFormat& format) const;

  const CudaKernels& kernels_;
  at::Tensor pixels_;  // [count, c, h, w] uint8
  at::Tensor labels_;  // [count] of 16 bits, as bytes
};

}  // namespace lambda
