#pragma once

#include <ATen/core/Tensor.h>

namespace lambda {

struct MixingDraw;

/// One batch for training or evaluating a network. Only training batches are mixed.
struct TensorBatch {
  at::Tensor images;  ///< [b, c, h, w], normalised; float32, or bfloat16 where a run computes in
                      ///< it. Tokens: [b, 1, 1, n] int64.
  /// Classes [b] int64, or numbers [b, numbers] float32, in deviations from the mean, or tokens
  /// [b, n] int64. In a mixed batch it is the label with the larger share.
  at::Tensor labels;
  at::Tensor partnerLabels = {};  ///< The other labels; undefined if it is not mixed.
  /// [] float32, 0.5..1: share of `labels` in a mixed batch; undefined if it is not mixed. It is a
  /// tensor, so that a recorded step reads the one of each batch.
  at::Tensor share = {};
  /// The share of its mean loss in that of the joint batch, where many processes have a part each.
  double jointShare = 1;

  bool isMixed() const { return partnerLabels.defined(); }
};

/// Mixes the images of a batch, which it changes, and gives the batch its second labels. `batch`
/// has as many images as the draw has partners, and is not mixed yet. On a GPU nothing waits for
/// it.
TensorBatch mixed(TensorBatch batch, const MixingDraw& draw);

}  // namespace lambda
