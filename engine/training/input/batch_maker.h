#pragma once

#include <cstdint>
#include <map>
#include <span>

#include <ATen/ATen.h>

#include "engine/data/augmentation/augmentation.h"
#include "engine/kernels/cuda/cuda_kernels.h"
#include "engine/training/input/device_images.h"
#include "engine/training/input/tensor_batch.h"
#include "engine/values/config/run_config.h"
#include "engine/values/config/scoring.h"
#include "engine/values/images/labeled_images.h"
#include "engine/values/inspection/inspection.h"

namespace lambda {

/// Makes a network's input from stored images, on the device and in the memory format of a run.
/// Images that it keeps on the device are processed there, others on the CPU; the float32 results
/// are the same to the bit.
class BatchMaker {
 public:
  /// `kernels`: those for the device; null = it has none. `views`: see views().
  BatchMaker(Augmenter augmenter,
             bool channelsLast,
             Precision precision,
             const at::Device& device,
             const CudaKernels* kernels = nullptr,
             TestViews views = {},
             std::vector<NumberScale> numbers = {});

  /// As a run of that configuration makes them for a network on a device.
  BatchMaker(const RunConfig& config, const NetworkInput& input, const at::Device& device);

  /// Keeps a copy of the images on the device as long as the maker lives. They are found by the
  /// address of their pixels, which must not change meanwhile. Does nothing if the kernels can't
  /// make batches of them, as with RandAugment and random erasing.
  void keep(const LabeledImages& images);

  /// The training images `indices` with the augmentation of epoch `epoch`. Kept images are bfloat16
  /// if the run computes in it, so that the first layer need not round them; all others are
  /// float32.
  TensorBatch augmented(const LabeledImages& images,
                        std::span<const std::uint32_t> indices,
                        int epoch) const;

  /// Images [first, first + count), normalised but not augmented, in float32.
  TensorBatch plain(const LabeledImages& images, std::size_t first, std::size_t count) const;

  /// The precision in which a network computes on these batches: float32 or bfloat16.
  Precision precision() const { return precision_; }

  /// The views of an image by whose mean logits it is classified.
  const TestViews& views() const { return views_; }

 private:
  /// Options of host tensors. Those for a GPU are in pinned memory, so that nothing waits for the
  /// copy.
  at::TensorOptions hostOptions(at::ScalarType type) const;

  /// The classes [count] int64 of the images, or their numbers [count, numbers] float32, in
  /// deviations from the mean. `indexOf` gives the index of the i-th.
  template <class IndexOf>
  at::Tensor labelsOf(const LabeledImages& images, std::size_t count, const IndexOf& indexOf) const;

  at::Tensor emptyImages(const LabeledImages& images, std::size_t count) const;

  PixelLayout layout() const { return channelsLast_ ? PixelLayout::nhwc : PixelLayout::nchw; }

  /// The copy of the images on the device; null if they are not kept.
  const DeviceImages* keptOf(const LabeledImages& images) const;

  TensorBatch onDevice(TensorBatch batch) const;

  Augmenter augmenter_;
  bool channelsLast_;
  Precision precision_;
  at::Device device_;
  const CudaKernels* kernels_;
  TestViews views_;
  std::vector<NumberScale> numbers_;                  // [numbers]; none for images with classes.
  std::map<const std::uint8_t*, DeviceImages> kept_;  // By the address of the pixels.
};

/// The images of a data set as a network gets them. Lives on one thread.
class NetworkImages {
 public:
  virtual ~NetworkImages() = default;

  /// The images of a split with the labels of the data. Throws Error where they can't be loaded or
  /// do not fit the network.
  virtual const LabeledImages& images(Split split) = 0;

  virtual const BatchMaker& maker() const = 0;

  virtual const NetworkInput& input() const = 0;
};

}  // namespace lambda
