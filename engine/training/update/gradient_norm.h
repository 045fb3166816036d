#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

namespace lambda {

/// The 2-norm of all gradients together by our kernel, in double, where they are dense and on the
/// CPU, else by ATen's. A float64 scalar.
at::Tensor gradientNormOf(const std::vector<at::Tensor>& gradients);

/// The same by ATen's operations, on any device.
at::Tensor gradientNormByAten(std::vector<at::Tensor> gradients);

}  // namespace lambda
