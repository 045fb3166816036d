#pragma once

#include <ATen/core/Tensor.h>

#include "engine/layers/lambda/lambda_layer.h"

namespace lambda {

/// Frobenius norms of the lambda matrices of some images: one for each image and query position. A
/// part that the layer does not have is undefined.
struct LambdaNorms {
  at::Tensor total;     ///< [b, positions], or [b] without position lambda
  at::Tensor content;   ///< [b]: the content lambda is the same at every position.
  at::Tensor position;  ///< [b, positions]
};

/// The norms for inputs x [b, d, H, W] at up to nine positions, spread evenly from corner to corner
/// of the map. The layer must be in eval mode and gradients must not be recorded.
LambdaNorms lambdaNormsOf(LambdaLayer& layer, const at::Tensor& x);

}  // namespace lambda
