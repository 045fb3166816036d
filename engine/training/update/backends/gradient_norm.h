#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

namespace lambda {

/// The 2-norm of all gradients together, a float64 scalar. If they are dense and on the CPU, our
/// kernel sums them in float64; otherwise the same as gradientNormByAten().
at::Tensor gradientNormOf(const std::vector<at::Tensor>& gradients);

/// The same norm by ATen's operations, which sum in float64 too, on any device.
at::Tensor gradientNormByAten(const std::vector<at::Tensor>& gradients);

}  // namespace lambda
