#pragma once

#include <ATen/ATen.h>

namespace lambda::test {

/// The 2-norm of the difference from what is expected, as a share of the expected norm if that is
/// not 0.
inline double distance(const at::Tensor& found, const at::Tensor& expected) {
  const at::Tensor exact = expected.detach().to(at::kDouble);
  const double size = exact.norm().item<double>();
  const double difference = (found.detach().to(at::kDouble) - exact).norm().item<double>();
  return size > 0 ? difference / size : difference;
}

}  // namespace lambda::test
