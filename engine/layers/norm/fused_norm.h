#pragma once

#include <optional>

#include <torch/nn/modules/batchnorm.h>

#include "engine/values/architecture/architecture.h"

namespace lambda {

/// The operations that follow a norm: first the addition, then the activation.
struct AfterNorm {
  at::Tensor residual;  ///< Is added; undefined = none.
  std::optional<Activation> activation = std::nullopt;
};

/// activation(norm(x) + residual) of a map x [b, c, H, W]. Training mode updates the norm's running
/// statistics. A norm that does not track them (track_running_stats) uses those of the batch in
/// evaluation too. The fused kernel computes it in few passes over memory for float32 or bfloat16
/// on the CPU, channels last; see engine/kernels/batch_norm/batch_norm_kernel.h. Otherwise plain
/// operations do. Throws c10::Error in training mode if a channel has only one value, and in the
/// backward pass of the fused form if second derivatives are requested.
at::Tensor applyNorm(torch::nn::BatchNorm2d& norm,
                     const at::Tensor& x,
                     const AfterNorm& after = {});

/// The same by plain operations only, as a reference.
at::Tensor applyPlainNorm(torch::nn::BatchNorm2d& norm,
                          const at::Tensor& x,
                          const AfterNorm& after = {});

}  // namespace lambda
