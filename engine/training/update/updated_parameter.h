#pragma once

#include <string>
#include <vector>

#include <torch/nn/module.h>

#include "engine/values/run_config.h"

namespace lambda {

/// A parameter of a module with all that its updates go by. What they move is the master: the
/// parameter itself, or float32 weights of which the parameter is the rounding to bfloat16
/// (Micikevicius et al., 2018: "Mixed precision training", section 3.1).
struct UpdatedParameter {
  bool isRounded() const { return !master.is_same(parameter); }

  /// In the parameter's type; undefined where it got none.
  at::Tensor gradient() const { return parameter.grad(); }

  /// Rounds the master to the parameter, where it was moved alone.
  void round() const;

  std::string name;
  at::Tensor parameter;
  at::Tensor master;
  at::Tensor firstMoment;   ///< Momentum, or the first moment.
  at::Tensor secondMoment;  ///< The second moment; Adam and AdamW.
  at::Tensor steps;   ///< Updates done, a float32 scalar; Adam and AdamW.
  double rateFactor = 1;
  double weightDecay = 0;
  bool orthogonalized = false;  ///< Moved by Muon.
};

/// The parameters of a module in its order, with moments of zero. In bfloat16 the weights of its
/// convolutions are rounded in the module, which computes with them from now on. The bits are those
/// of autocast, which would round them in every step. Throws c10::Error naming a parameter without
/// a role.
std::vector<UpdatedParameter> updatedParametersOf(const OptimizerConfig& config,
                                                  const torch::nn::Module& module,
                                                  Precision precision);

}  // namespace lambda
