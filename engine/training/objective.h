#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "engine/training/input/tensor_batch.h"
#include "engine/values/run/metrics.h"

namespace lambda {

// The classification of images: what its outputs cost and how good they are. Logits are
// [b, classes] in float32, labels [b] int64.

/// The mean cross-entropy [], in nats, for both labels of a mixed batch as they are mixed (mixup,
/// arXiv:1710.09412, section 2; CutMix, arXiv:1905.04899, section 3).
at::Tensor lossOf(const at::Tensor& logits, const TensorBatch& batch, double labelSmoothing);

/// The cross-entropy of each image, [b].
at::Tensor lossesOf(const at::Tensor& logits, const at::Tensor& labels);

/// The share of images [] float64 whose label has the largest logit.
at::Tensor accuracyOf(const at::Tensor& logits, const at::Tensor& labels);

/// Sums the scores of batches. The sums stay on the device, so that nothing waits for it before the
/// last batch.
class ScoreSums {
 public:
  void add(const at::Tensor& logits, const at::Tensor& labels);

  /// The means over all images that were added; zeros if there were none. Waits for the device.
  Scores scores() const;

 private:
  at::Tensor loss_;   // float64
  at::Tensor right_;  // int64
  std::int64_t count_ = 0;
};

}  // namespace lambda
