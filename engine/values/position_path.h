#pragma once

#include "engine/values/architecture.h"

namespace lambda {

/// How a lambda layer brings its position embeddings to the values.
enum class PositionPath {
  none,         ///< The layer has no position lambda.
  dense,        ///< Every query meets every position; those outside its window are zeros.
  convolution,  ///< The lambda convolution (paper, section 3.4): every lambda by its window alone.
};

/// The path that the lambda layer takes on that map: the rule of engine/layers/lambda, which the
/// cost model reads to tell what the layer does.
PositionPath positionPathOf(const LambdaMixer& mixer, const MapShape& map, int outputDepth);

}  // namespace lambda
