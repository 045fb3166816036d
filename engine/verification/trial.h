#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include <torch/nn/module.h>

namespace lambda {

/// One check of a statement: random numbers for it, and the difference between its two sides. A
/// statement computes one side, calls disturb() with the layer that it is about, and computes the
/// other side.
class Trial {
 public:
  /// Changes a layer between the two sides. Tests use it to see a statement fail.
  using Disturbance = std::function<void(torch::nn::Module&)>;

  explicit Trial(std::uint64_t seed, Disturbance disturbance = nullptr);

  /// Values of N(0, 1) in float64.
  at::Tensor normal(at::IntArrayRef sizes);

  /// Puts a layer into evaluation mode in float64, with random scales in its batch norms.
  void prepare(torch::nn::Module& layer);

  void disturb(torch::nn::Module& layer) const {
    if (disturbance_) disturbance_(layer);
  }

  /// Counts the difference between two sides of the same shape.
  void compare(const at::Tensor& side, const at::Tensor& other);

  /// Counts a difference that is already a share of the greatest value.
  void count(double residual);

  /// The greatest difference that was counted; not a number if one was not.
  double residual() const { return residual_; }

 private:
  at::Generator random_;
  Disturbance disturbance_;
  double residual_ = 0;
};

}  // namespace lambda
