#pragma once

#include <cstdint>
#include <vector>

#include <torch/nn/module.h>

#include "engine/training/optimizer.h"

namespace lambda {

/// Exponential moving average of a module's parameters and running statistics (paper, appendix
/// E.2). The decay rises as (1 + t) / (10 + t) until it reaches its value, so that the average is
/// not held back by the random start. Lives on the training thread.
class WeightAverage {
 public:
  /// `decay` in (0, 1).
  WeightAverage(double decay, torch::nn::Module& module);

  /// Takes in the weights after step `step`, counted from 1.
  void update(std::int64_t step);

  /// Exchanges the module's weights with the averaged ones; twice restores both.
  void swap();

  std::vector<NamedTensor> state() const;

 private:
  struct Slot {
    std::string name;
    at::Tensor live;
    at::Tensor average;
  };

  double decay_;
  std::vector<Slot> slots_;
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
