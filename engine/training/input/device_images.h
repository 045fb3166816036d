#pragma once

#include <cstdint>
#include <span>

#include <ATen/ATen.h>

#include "engine/data/augmentation/augmentation.h"
#include "engine/kernels/cuda/cuda_kernels.h"
#include "engine/training/input/tensor_batch.h"
#include "engine/values/images/labeled_images.h"

namespace lambda {

/// The memory format of a batch's images.
struct BatchFormat {
  PixelLayout layout = PixelLayout::nchw;
  at::ScalarType type = at::kFloat;  ///< float32 or bfloat16.
};

/// The images of a set as bytes on a GPU, 150 MB for CIFAR-10. One kernel makes batches of them
/// there: the same bits as Augmenter's, rounded to bfloat16 if the format asks for it. Making a
/// batch does not wait for the GPU. Lives on the training thread.
class DeviceImages {
 public:
  /// Copies the images. Throws c10::OutOfMemoryError if they don't fit.
  DeviceImages(const LabeledImages& images, const at::Device& device, const CudaKernels& kernels);

  /// Whether the kernel can make batches of the images: they have at most 4 channels.
  static bool canHold(const LabeledImages& images);

  /// Images `indices` with the augmentation of epoch `epoch`. The augmenter must be for images of
  /// this shape.
  TensorBatch augmented(const Augmenter& augmenter,
                        std::span<const std::uint32_t> indices,
                        std::uint64_t epoch,
                        const BatchFormat& format) const;

  /// Images [first, first + count), normalised but not augmented.
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
  at::Tensor labels_;  // [2 count] uint8: the bytes of [count] uint16
};

}  // namespace lambda
