#pragma once

#include <span>

#include <ATen/ATen.h>

#include "engine/data/augmentation.h"
#include "engine/values/labeled_images.h"

namespace lambda {

struct TensorBatch {
  at::Tensor images;  ///< [b, c, h, w] float32, normalised.
  at::Tensor labels;  ///< [b] int64
};

/// Makes a network's input from stored images, on the device and in the memory format of a run.
class BatchMaker {
 public:
  BatchMaker(Augmenter augmenter, bool channelsLast, const at::Device& device);

  /// Training images as epoch `epoch` sees them.
  TensorBatch augmented(const LabeledImages& images,
                        std::span<const std::uint32_t> indices,
                        int epoch) const;

  /// Images [first, first + count) as they are.
  TensorBatch plain(const LabeledImages& images, std::size_t first, std::size_t count) const;

 private:
  at::Tensor emptyImages(const LabeledImages& images, std::size_t count) const;

  PixelLayout layout() const { return channelsLast_ ? PixelLayout::nhwc : PixelLayout::nchw; }

  TensorBatch onDevice(TensorBatch batch) const;

  Augmenter augmenter_;
  bool channelsLast_;
  at::Device device_;
};

}  // namespace lambda
