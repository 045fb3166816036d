#pragma once

#include <torch/nn/modules/batchnorm.h>

namespace lambda {

class Processes;

/// While an object lives, the norms that this thread trains use the mean and the variance of the
/// joint batch of many processes. All processes must run the same norms in the same order, forward
/// and backward.
class JointNorms {
 public:
  /// Null = every process uses its own batch. `counts`: whether this process's batch is part of the
  /// joint one. `processes` must live until the backward pass is over.
  JointNorms(Processes* processes, bool counts);
  ~JointNorms();

  JointNorms(const JointNorms&) = delete;
  JointNorms& operator=(const JointNorms&) = delete;

 private:
  Processes* before_;
  bool countedBefore_;
};

/// Whether this norm uses the joint batch now.
bool isJoint(const torch::nn::BatchNorm2dImpl& norm);

/// A norm that does, of x [b, c, H, W]: synchronised batch normalisation. The running statistics
/// move towards those of the joint batch. The gradients are those of the sum of all processes'
/// losses; those of scale and shift lack the parts of the others.
at::Tensor applyJointNorm(torch::nn::BatchNorm2dImpl& norm, const at::Tensor& x);

}  // namespace lambda
