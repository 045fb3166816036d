#pragma once

#include "engine/values/architecture/architecture.h"

namespace lambda {

/// How a lambda layer brings its position embeddings to the values.
enum class PositionPath {
  none,         ///< The layer has no position lambda.
  dense,        ///< All pairs of query and position; embeddings outside the window are zero.
  convolution,  ///< The lambda convolution (paper, section 3.4), over each query's window only.
};

/// What computes the dense path.
enum class CoreForm {
  fused,  ///< The kernels of engine/kernels/lambda_core on the CPU.
  plain,  ///< Operations of LibTorch; also the rule on a GPU, where the two were not compared.
};

/// The path that the lambda layer takes on that map; masked and multi-head layers have no
/// convolution. The cost model follows the same rule for the memory on the CPU. The plain form
/// takes the path with fewer multiply-adds. The fused kernels need far less time per multiply-add:
/// forward and backward in float32 on one core of a Sapphire Rapids, with 3x3 to 23x23 windows on
/// maps of 8x8 to 64x64 pixels, the convolution took 1.5 to 29 times as long. The two take the same
/// time where the convolution has about a hundredth of the multiply-adds (96x96).
PositionPath positionPathOf(const LambdaMixer& mixer,
                            const MapShape& map,
                            int outputDepth,
                            CoreForm form = CoreForm::fused);

}  // namespace lambda
