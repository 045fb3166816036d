#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <torch/nn/module.h>

#include "engine/training/checkpoint/named_tensor.h"

namespace lambda {

/// A parameter or buffer of a module and its average.
struct AveragedTensor {
  /// False: a count, of which the average is a copy.
  bool isMean() const { return at::isFloatingType(live.scalar_type()); }

  std::string name;
  at::Tensor live;
  at::Tensor average;
};

/// Exponential moving average of a module's parameters and running statistics (paper, appendix
/// E.2). The decay rises as (1 + t) / (10 + t) until it reaches its value, so that the average is
/// not held back by the random start. Lives on the training thread.
class WeightAverage {
 public:
  /// `decay` in (0, 1).
  WeightAverage(double decay, torch::nn::Module& module);

  /// Starts from the weights as they are now.
  void restart();

  /// Takes in the weights after step `step`, counted from 1.
  void update(std::int64_t step);

  /// How much of the average stays at step `step`, counted from 1.
  double decayAt(std::int64_t step) const;

  /// The parameters in the module's order, then the buffers.
  const std::vector<AveragedTensor>& tensors() const { return tensors_; }

  /// Exchanges the module's weights with the averaged ones; twice restores both.
  void swap();

  std::vector<NamedTensor> state() const;

 private:
  double decay_;
  std::vector<AveragedTensor> tensors_;
};

/// Puts averaged weights into the module for a scope. Does nothing where there is no average.
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
