#pragma once

#include "engine/values/architecture.h"

namespace lambda {

/// How a lambda layer brings its position embeddings to the values.
enum class PositionPath {
  none,         ///< The layer has no position lambda.
  dense,        ///< Every query meets every position; those outside its window are zeros.
  convolution,  ///< The lambda convolution (paper, section 3.4): every lambda by its window alone.
};

/// What computes the dense path.
enum class CoreForm {
  fused,  ///< The kernels of engine/kernels/lambda_core on the CPU.
  plain,  ///< Operations of LibTorch; also the measure on a GPU, where the two were not compared.
};

/// The path that the lambda layer takes on that map: its rule, which the cost model reads to tell
/// what the layer does on the CPU. The plain form takes the path of fewer multiply-adds. The fused
/// kernels need far less time for each of theirs: forward and backward in float32 on one core of a
/// Sapphire Rapids, with 3x3 to 23x23 windows on maps of 8x8 to 64x64 pixels, the convolution took
/// 1.5 to 29 times as long, and they are even at about a hundredth of the multiply-adds (96x96).
PositionPath positionPathOf(const LambdaMixer& mixer,
                            const MapShape& map,
                            int outputDepth,
                            CoreForm form = CoreForm::fused);

}  // namespace lambda
