#pragma once

#include <ATen/core/Tensor.h>

#include "engine/kernels/lambda_core/lambda_core_kernel.h"

namespace lambda {

// The kernels of the lambda core on the CPU, with outputs as tensors. They are in bfloat16 where
// that is allowed and the kernel for it fits, otherwise in float32.

/// Whether applyCoreKernel() can take the means of the outputs for a core that has a pooling. Where
/// the kernel for bfloat16 fits, it can't: that kernel has no pooling. `mayRound` as below.
bool poolsInKernel(const CoreShape& shape, const CoreInputs& inputs, bool mayRound);

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
