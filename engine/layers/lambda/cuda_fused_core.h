#pragma once

#include "engine/kernels/cuda/cuda_kernels.h"
#include "engine/layers/lambda/lambda_core.h"
#include "engine/layers/lambda/position_embedding.h"

namespace lambda {

/// The kernels for a core, null where there are none: queries are on a GPU for which the plugin
/// could be opened, in float32 or bfloat16, k is up to 64.
const CudaKernels* cudaKernelsFor(const LambdaOperands& operands);

/// applyFusedCore() by kernels of the plugin, in the type of the queries; the table's gradient is
/// float32 whatever that is. An empty index is made of `tableRows`, which takes longer than the
/// core. Throws c10::Error with CUDA's own words if a kernel can't be started.
at::Tensor applyCudaFusedCore(const CudaKernels& kernels,
                              const LambdaOperands& operands,
                              const at::Tensor& table,
                              const at::Tensor& tableRows,
                              const PairIndex& index);

}  // namespace lambda
