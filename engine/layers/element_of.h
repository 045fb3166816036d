#pragma once

#include <ATen/ATen.h>

#include "engine/kernels/element.h"

namespace lambda {

/// The element type that kernels use for a tensor of float32 or bfloat16.
inline Element elementOf(const at::Tensor& tensor) {
  return tensor.scalar_type() == at::kBFloat16 ? Element::bfloat16 : Element::float32;
}

}  // namespace lambda
