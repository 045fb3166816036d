#pragma once

#include <ATen/core/Tensor.h>

#include "engine/layers/lambda/lambda_layer.h"

namespace lambda {

/// Frobenius norms of the lambda matrices of some images: one for each image and query position; in
/// a multi-head layer, of the lambdas of all heads together. A part that the layer does not have is
/// undefined.
struct LambdaNorms {
  at::Tensor total;     ///< [b, positions], or [b] if all positions have one lambda
  at::Tensor content;   ///< [b]; with a mask [b, positions], because each has a content lambda.
  at::Tensor position;  ///< [b, positions]
};

/// The norms for inputs x [b, d, H, W] at up to nine positions, spread evenly from corner to corner
/// of the map. The layer must be in eval mode and gradients must not be recorded.
LambdaNorms lambdaNormsOf(LambdaLayer& layer, const at::Tensor& x);

}  // namespace lambda
