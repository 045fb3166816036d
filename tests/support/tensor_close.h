#pragma once

#include <sstream>
#include <string>
#include <vector>

#include <ATen/ATen.h>

namespace lambda::test {

/// The values of a tensor in row-major order, in double.
inline std::vector<double> numbersOf(const at::Tensor& tensor) {
  const at::Tensor dense = tensor.detach().to(at::kCPU, at::kDouble).contiguous();
  return {dense.data_ptr<double>(), dense.data_ptr<double>() + dense.numel()};
}

/// Describes where two tensors differ by more than absolute + relative |expected|, are not finite,
/// or differ in shape; empty if they agree.
inline std::string differenceOf(const at::Tensor& actual,
                                const at::Tensor& expected,
                                double absolute,
                                double relative) {
  std::ostringstream text;
  if (actual.sizes() != expected.sizes()) {
    text << "shape " << actual.sizes() << ", expected " << expected.sizes();
    return text.str();
  }
  const at::Tensor a = actual.detach().to(at::kCPU, at::kDouble);
  const at::Tensor e = expected.detach().to(at::kCPU, at::kDouble);
  if (!a.isfinite().all().item<bool>()) return "not finite";
  const at::Tensor excess = ((a - e).abs() - absolute - relative * e.abs()).contiguous().flatten();
  if (excess.numel() == 0 || excess.max().item<double>() <= 0) return {};
  const std::int64_t worst = excess.argmax().item<std::int64_t>();
  text << "at " << worst << " of " << excess.numel() << ": "
       << a.contiguous().flatten()[worst].item<double>() << ", expected "
       << e.contiguous().flatten()[worst].item<double>();
  return text.str();
}

inline std::string differenceOf(const at::Tensor& actual,
                                const std::vector<double>& expected,
                                double absolute,
                                double relative) {
  const at::Tensor reference = at::tensor(expected, at::kDouble);
  if (reference.numel() != actual.numel()) return "the numbers of values differ";
  return differenceOf(actual, reference.view(actual.sizes()), absolute, relative);
}

}  // namespace lambda::test
