#pragma once

#include "engine/values/architecture/architecture.h"

namespace lambda {

/// How a lambda layer brings its position embeddings to the values.
enum class PositionPath {
  none,         ///< The layer has no position lambda.
  dense,        ///< Pairs of query and position. Plain operations take all of them, the kernels of
                ///< the CPU those inside the window, as far as takesWindowKernel().
  convolution,  ///< The lambda convolution (paper, section 3.4), over each query's window only.
};

/// What computes the dense path.
enum class CoreForm {
  fused,  ///< The kernels of engine/kernels/lambda_core on the CPU.
  plain,  ///< Operations of LibTorch; also the rule on a GPU, where the two were not compared.
};

/// Whether the CPU's fused core takes its kernel for windows: where that multiplies less than 90 %
/// of the pairs of query and position, and where a table of all pairs would be too much memory. It
/// multiplies pairs outside the map too, at the ends of its rows, and where a row has few queries,
/// as many as fill a vector. Near 90 % both kernels take about as long; `lambda bench core --only
/// r=` times them in turns.
bool takesWindowKernel(int scope, const MapShape& map);

/// The path that the lambda layer takes on that map; masked and multi-head layers have no
/// convolution. The cost model follows the same rule for the memory on the CPU. The plain form
/// takes the path with fewer multiply-adds. The fused kernels are always faster: forward and
/// backward in float32 on two cores of a Zen 2, the convolution took 8 to 13 times as long (lambda
/// bench core --only r=). It is taken where the window leaves out nothing of a map that is so large
/// that a table of all pairs would be too much memory.
PositionPath positionPathOf(const LambdaMixer& mixer,
                            const MapShape& map,
                            int outputDepth,
                            CoreForm form = CoreForm::fused);

}  // namespace lambda
