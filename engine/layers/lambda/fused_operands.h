#pragma once

#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>

namespace lambda {

/// The modules of a lambda layer that make the operands of its core.
struct OperandModules {
  torch::nn::Conv2d& queries;
  torch::nn::Conv2d& values;
  torch::nn::Conv2d& keys;            ///< Null = no keys.
  torch::nn::BatchNorm2d& queryNorm;  ///< Null = no norm; one of each channel.
  torch::nn::BatchNorm2d& valueNorm;
};

/// Operands of the core by pixels, before they are divided among heads and intra-depths.
struct OperandRows {
  at::Tensor queries;  ///< [b, n, h k]
  at::Tensor values;   ///< [b, m, u v]
  at::Tensor keys;     ///< [b, m, u k], after the softmax over m. Undefined without keys.
};

/// Whether fusedOperands() can compute them: x [b, d, H, W] float32 or bfloat16 on the CPU,
/// channels last, d a multiple of 16, weights in float32, and more than one pixel where a norm is
/// trained.
bool canFuseOperands(const at::Tensor& x, const OperandModules& modules);

/// The operands of an input x, in float32, differentiable once. Training mode updates the norms'
/// running statistics. See engine/kernels/lambda_operands/lambda_operands_kernel.h. Gradients that
/// are not needed, such as those of frozen weights or of an image, are not computed. Throws
/// c10::Error in the backward pass if second derivatives are requested.
OperandRows fusedOperands(const at::Tensor& x, const OperandModules& modules);

}  // namespace lambda
