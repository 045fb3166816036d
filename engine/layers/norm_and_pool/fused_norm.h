#pragma once

#include <optional>

#include <torch/nn/modules/batchnorm.h>

#include "engine/values/architecture.h"

namespace lambda {

/// What follows a norm.
struct AfterNorm {
  at::Tensor residual;  ///< Added; undefined = nothing is.
  std::optional<Activation> activation = std::nullopt;
};

/// activation(norm(x) + residual) of a map x [b, c, H, W], with the norm's running statistics moved
/// on in training mode. In few passes over memory where the fused kernel fits: float32 or bfloat16
/// on the CPU, channels last; see engine/kernels/batch_norm/batch_norm_kernel.h. Elsewhere by plain
/// operations. Gradients of the fused form's gradients are not to be had. Throws c10::Error in
/// training mode if a channel has one value.
at::Tensor applyNorm(torch::nn::BatchNorm2d& norm,
                     const at::Tensor& x,
                     const AfterNorm& after = {});

/// The same by plain operations alone: the reference.
at::Tensor applyPlainNorm(torch::nn::BatchNorm2d& norm,
                          const at::Tensor& x,
                          const AfterNorm& after = {});

}  // namespace lambda
