#pragma once

#include <ATen/ATen.h>

#include "engine/values/architecture/architecture.h"

namespace lambda {

/// CELU's alpha, as in the 94 % CIFAR-10 network that the plain family follows.
inline constexpr double kCeluAlpha = 0.075;

/// The activation of x, of any shape, as a new tensor. Throws c10::Error for an unknown activation.
at::Tensor activate(const at::Tensor& x, Activation activation);

}  // namespace lambda
