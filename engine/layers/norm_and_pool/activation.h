#pragma once

#include <ATen/ATen.h>

#include "engine/values/architecture.h"

namespace lambda {

/// CELU's alpha, of the 94 % CIFAR-10 network that the plain family follows.
inline constexpr double kCeluAlpha = 0.075;

/// The activation as a new tensor, x of any shape.
at::Tensor activate(const at::Tensor& x, Activation activation);

}  // namespace lambda
