#pragma once

#include <ATen/ATen.h>

#include "engine/kernels/element.h"

namespace lambda {

/// What kernels take the values of a tensor, float32 or bfloat16, for.
inline Element elementOf(const at::Tensor& tensor) {
  return tensor.scalar_type() == at::kBFloat16 ? Element::bfloat16 : Element::float32;
}

}  // namespace lambda
