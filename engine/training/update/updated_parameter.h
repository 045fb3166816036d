#pragma once

#include <string>
#include <vector>

#include <torch/nn/module.h>

#include "engine/values/config/run_config.h"

namespace lambda {

/// A parameter of a module with everything that its updates need. Updates change the master: the
/// parameter itself, or float32 weights that the parameter holds rounded to bfloat16 (Micikevicius
/// et al., 2018: "Mixed precision training", section 3.1).
struct UpdatedParameter {
  bool isRounded() const { return !master.is_same(parameter); }

  /// The gradient in the parameter's type; undefined if it has none.
  at::Tensor gradient() const { return parameter.grad(); }

  /// Copies the rounded master to the parameter. For updates that change only the master.
  void round() const;

  std::string name;
  at::Tensor parameter;
  at::Tensor master;
  at::Tensor firstMoment;
  at::Tensor secondMoment;  ///< Undefined where the optimiser's traits have none.
  at::Tensor steps;         ///< Updates done, a float32 scalar; the same.
  double rateFactor = 1;
  double weightDecay = 0;
  bool orthogonalized = false;  ///< Updated by Muon.
};

/// The parameters of a module in its order, with moments of zero. In bfloat16 this replaces the
/// weights of the module's convolutions by rounded ones, which give the same bits as autocast
/// without rounding in every step. `backboneRate` is a factor of the learning rates of all
/// parameters but those of the module that has the weights of the classifier. Throws c10::Error
/// naming a parameter without a role, or one to be rounded that is not float32.
std::vector<UpdatedParameter> updatedParametersOf(const OptimizerConfig& config,
                                                  const torch::nn::Module& module,
                                                  Precision precision,
                                                  double backboneRate = 1);

}  // namespace lambda
