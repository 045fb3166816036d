#pragma once

#include <string>
#include <vector>

#include <torch/nn/module.h>

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

/// SGD with Nesterov momentum, Adam and AdamW over ATen's fused kernels (one pass over all memory
/// of a parameter). All state is created at the start, so that a checkpoint always has all of it.
/// Lives on the training thread.
class Optimizer {
 public:
  Optimizer(const OptimizerConfig& config, const torch::nn::Module& module);

  /// Drops all gradients.
  void zeroGrad();

  /// The 2-norm of all gradients together; scales them down to `gradientClip` if one is set.
  double clipGradients();

  /// One update from the gradients; parameters without a gradient stay as they are.
  void step(double learningRate);

  /// "NAME.momentum", or "NAME.mean", "NAME.variance" and "NAME.step".
  std::vector<NamedTensor> state() const;

 private:
  struct Slot {
    std::string name;
    at::Tensor parameter;
    bool decays = true;
    at::Tensor first;   // momentum, or the first moment
    at::Tensor second;  // the second moment; Adam alone
    at::Tensor steps;   // steps done, float32 scalar; Adam alone
  };

  void stepGroup(bool decays, double learningRate);

  OptimizerConfig config_;
  std::vector<Slot> slots_;
};

}  // namespace lambda
