#pragma once

#include <ATen/core/Tensor.h>

namespace lambda {

/// What a network is trained or evaluated on at once.
struct TensorBatch {
  at::Tensor
      images;  ///< [b, c, h, w], normalised; float32, or bfloat16 where a run computes in it.
  at::Tensor labels;  ///< [b] int64
};

}  // namespace lambda
