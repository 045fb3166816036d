#pragma once

#include <ATen/core/Tensor.h>

namespace lambda {

/// One batch for training or evaluating a network.
struct TensorBatch {
  at::Tensor
      images;  ///< [b, c, h, w], normalised; float32, or bfloat16 where a run computes in it.
  at::Tensor labels;  ///< [b] int64
};

}  // namespace lambda
