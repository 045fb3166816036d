#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <ATen/ATen.h>
#include <torch/autograd.h>

namespace lambda::test {

using NamedLeaves = std::vector<std::pair<std::string, at::Tensor>>;

/// Compares autograd's gradients of a scalar function with central differences, for every element
/// of every leaf. Leaves must be float64, contiguous and require gradients; `loss` reads them anew
/// at each call. Returns the first difference with name and index; empty if they agree.
inline std::string gradientMismatch(const std::function<at::Tensor()>& loss,
                                    const NamedLeaves& leaves,
                                    double step = 1e-5,
                                    double tolerance = 1e-6) {
  for (const auto& [name, leaf] : leaves) leaf.mutable_grad() = at::Tensor();
  loss().backward();
  const at::AutoGradMode off(false);
  for (const auto& [name, leaf] : leaves) {
    if (leaf.scalar_type() != at::kDouble || !leaf.is_contiguous()) return name + ": no float64";
    if (!leaf.grad().defined()) return name + ": no gradient";
    const at::Tensor gradient = leaf.grad().contiguous();
    for (std::int64_t i = 0; i < leaf.numel(); ++i) {
      double& value = leaf.data_ptr<double>()[i];
      const double original = value;
      value = original + step;
      const double above = loss().item<double>();
      value = original - step;
      const double below = loss().item<double>();
      value = original;
      const double expected = (above - below) / (2 * step);
      const double actual = gradient.data_ptr<double>()[i];
      if (std::abs(actual - expected) <= tolerance * std::max(1.0, std::abs(expected))) continue;
      std::ostringstream text;
      text << name << "[" << i << "]: autograd " << actual << ", central difference " << expected;
      return text.str();
    }
  }
  return {};
}

}  // namespace lambda::test
