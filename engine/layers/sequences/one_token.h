#pragma once

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include "engine/layers/layer_path.h"

namespace lambda {

/// Whether engine/kernels/token_step computes a layer with such a weight for a map [b, c, H, W]:
/// one token of one sequence, in float32 on the CPU, without gradients.
inline bool isOneToken(const at::Tensor& map, const at::Tensor& weight) {
  return map.dim() == 4 && map.numel() == map.size(1) && map.is_contiguous() &&
         !c10::GradMode::is_enabled() && LayerInput::of(map, weight).isFloat();
}

/// The numbers of a parameter for a kernel. Throws c10::Error where they are not dense.
inline const float* numbersOf(const at::Tensor& parameter) {
  TORCH_CHECK(parameter.is_contiguous(), "a kernel takes dense parameters only");
  return parameter.const_data_ptr<float>();
}

}  // namespace lambda
