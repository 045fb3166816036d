#pragma once

#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>

#include "engine/layers/lambda/position_embedding.h"

namespace lambda {

/// The modules of a lambda layer that make the operands of its core.
struct OperandModules {
  torch::nn::Conv2d& queries;
  torch::nn::Conv2d& values;
  torch::nn::Conv2d& keys;            ///< Null = no keys.
  torch::nn::BatchNorm2d& queryNorm;  ///< Null = no norm; one of each channel.
  torch::nn::BatchNorm2d& valueNorm;
  std::int64_t heads;
  std::int64_t intraDepth;
};

/// Whether the weights have one type, and kernels know the norms: those take their statistics from
/// one place, and from more than one pixel of the input x [b, d, H, W] where they are trained.
bool fitKernels(const OperandModules& modules, const at::Tensor& x);

/// The output y [b, h v, H, W] of a lambda layer, channels last and differentiable once:
/// projections, norms per channel, the softmax of keys over all positions, and the core, as in
/// engine/kernels/lambda_operands/lambda_operands_kernel.h. Only where lambdaPath() says so. If
/// `isPooled`, it is poolAverage() of that output. `table` and `rows` are those of
/// applyFusedCore(). Training mode updates the norms' running statistics. Gradients that are not
/// needed, such as those of frozen weights or of an image, are not computed. Throws c10::Error in
/// the backward pass if second derivatives are requested.
at::Tensor applyFusedLayer(const at::Tensor& x,
                           const OperandModules& modules,
                           const at::Tensor& table,
                           const TableRows& rows = {},
                           bool isPooled = false);

}  // namespace lambda
