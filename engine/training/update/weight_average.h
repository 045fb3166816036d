#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <torch/nn/module.h>

#include "engine/training/checkpoint/named_tensor.h"

namespace lambda {

/// A parameter or buffer of a module and its average.
struct AveragedTensor {
  /// Whether it is averaged; false = an integer tensor such as a count, which is copied.
  bool isMean() const { return at::isFloatingType(live.scalar_type()); }

  std::string name;
  at::Tensor live;
  at::Tensor average;
};

/// Exponential moving average of a module's parameters and running statistics (LambdaNetworks,
/// appendix E.2). The decay at step t is (1 + t) / (10 + t) until it reaches its final value, so
/// that the random initial weights are soon forgotten. Lives on the training thread.
class WeightAverage {
 public:
  /// `decay` in (0, 1).
  WeightAverage(double decay, torch::nn::Module& module);

  /// Sets the average to the current weights.
  void restart();

  /// Adds the weights after step `step`, counted from 1, to the average.
  void update(std::int64_t step);

  /// The decay at step `step`, counted from 1: the share of the old average in the new one.
  double decayAt(std::int64_t step) const;

  /// The parameters in the module's order, then the buffers.
  const std::vector<AveragedTensor>& tensors() const { return tensors_; }

  /// Swaps the module's weights with the averaged ones; a second call restores both.
  void swap();

  std::vector<NamedTensor> state() const;

 private:
  double decay_;
  std::vector<AveragedTensor> tensors_;
};

/// Puts the averaged weights into the module for a scope. Does nothing without an average.
class AveragedWeights {
 public:
  explicit AveragedWeights(WeightAverage* average) : average_(average) {
    if (average_ != nullptr) average_->swap();
  }

  ~AveragedWeights() {
    if (average_ != nullptr) average_->swap();
  }

  AveragedWeights(const AveragedWeights&) = delete;
  AveragedWeights& operator=(const AveragedWeights&) = delete;

 private:
  WeightAverage* average_;
};

}  // namespace lambda
