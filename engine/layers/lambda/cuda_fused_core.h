#pragma once

// The CUDA side of fused_core.h: the autograd function around the kernels of
// engine/kernels/cuda/core. The algebra and the design of the kernels are on the page at the top of
// engine/kernels/lambda_core/lambda_core_kernel.h.

#include "engine/kernels/cuda/cuda_kernels.h"
#include "engine/layers/lambda/lambda_core.h"
#include "engine/layers/lambda/position_embedding.h"

namespace lambda {

/// The kernels for a core, or null. Queries must be float32 or bfloat16 with k up to 64, on a GPU
/// on which the kernels of the plugin can be used.
const CudaKernels* cudaKernelsFor(const LambdaOperands& operands);

/// applyFusedCore() by the kernels of the plugin, in the type of the queries; the table's gradient
/// is always float32. Throws c10::Error with CUDA's message if a kernel can't be started.
at::Tensor applyCudaFusedCore(const CudaKernels& kernels,
                              const LambdaOperands& operands,
                              const at::Tensor& table,
                              const TableRows& rows);

}  // namespace lambda
