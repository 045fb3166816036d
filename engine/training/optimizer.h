#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <torch/nn/module.h>

#include "engine/kernels/weight_update_kernel.h"
#include "engine/values/run_config.h"

namespace lambda {

/// A named piece of state that a checkpoint keeps. The tensor is the live one, not a copy.
struct NamedTensor {
  std::string name;
  at::Tensor tensor;
};

/// Whether weight decay applies to a parameter by default: not to norms, biases and position
/// embeddings, whose size says nothing about the size of the function.
bool decaysByDefault(const std::string& name, const at::Tensor& parameter);

class WeightAverage;

/// What an update needs beside the gradients.
struct UpdateStep {
  double learningRate = 0;
  double gradientNorm = 0;           ///< Optimizer::gradientNorm(), which clipping goes by.
  WeightAverage* average = nullptr;  ///< Takes in the new weights; null = none is kept.
  std::int64_t step = 1;             ///< For the average: of the run, counted from 1.
};

/// SGD with Nesterov momentum, Adam and AdamW. On the CPU, clipping, update and moving average are
/// one pass over memory for all float32 parameters together, see
/// engine/kernels/weight_update_kernel.h; elsewhere ATen's fused kernels. All state is created at
/// the start, so that a checkpoint always has all of it. Lives on the training thread.
class Optimizer {
 public:
  Optimizer(const OptimizerConfig& config, const torch::nn::Module& module);

  /// Drops all gradients.
  void zeroGrad();

  /// The 2-norm of all gradients together.
  double gradientNorm() const;

  /// One update from the gradients, scaled down where their norm is above `gradientClip`;
  /// parameters without a gradient stay as they are. What the gradients are afterwards is not said.
  void step(const UpdateStep& update);

  /// "NAME.momentum", or "NAME.mean", "NAME.variance" and "NAME.step".
  std::vector<NamedTensor> state() const;

  bool fusesUpdate = true;  ///< False: by ATen's kernels everywhere, the reference.

 private:
  struct Slot {
    std::string name;
    at::Tensor parameter;
    bool decays = true;
    at::Tensor first;   // momentum, or the first moment
    at::Tensor second;  // the second moment; Adam alone
    at::Tensor steps;   // steps done, float32 scalar; Adam alone
  };

  bool canFuse(const WeightAverage* average) const;
  void stepFused(const UpdateStep& update, double gradientScale);
  void addAverages(WeightAverage& average, std::vector<UpdatedWeights>& tensors) const;
  void stepGroup(bool decays, double learningRate);

  double decayOf(const Slot& slot) const { return slot.decays ? config_.weightDecay : 0; }

  OptimizerConfig config_;
  std::vector<Slot> slots_;
};

}  // namespace lambda
