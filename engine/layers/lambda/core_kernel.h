#pragma once

#include <ATen/core/Tensor.h>

#include "engine/kernels/lambda_core/lambda_core_kernel.h"

namespace lambda {

// The kernels of the lambda core on the CPU that coreKernel() names, with outputs as tensors: in
// bfloat16 by the kernels for it, otherwise in float32.

/// The output [b, n, h, v], or its means if the shape has a pooling. `mayRound`: whether it, and
/// the operands of products, may be rounded to bfloat16.
at::Tensor applyCoreKernel(const CoreShape& shape,
                           const CoreInputs& inputs,
                           bool mayRound,
                           const MakeOperands& make = {});

/// Writes the gradients from that of the output, which has its type.
void applyCoreBackward(const CoreShape& shape,
                       const CoreInputs& inputs,
                       const at::Tensor& dy,
                       const CoreGradients& gradients,
                       const MakeOperands& make = {},
                       const OnImages& finish = {});

}  // namespace lambda
