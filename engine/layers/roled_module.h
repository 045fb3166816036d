#pragma once

#include <string>
#include <vector>

#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include "engine/values/parameter_role.h"

namespace lambda {

/// A module whose constructor says what each of its parameters is for. It registers them, and the
/// plain layers of LibTorch that hold them, by the functions below; modules that are roled
/// themselves are registered by register_module().
class RoledModule : public torch::nn::Module {
 public:
  struct RoledParameter {
    at::Tensor parameter;
    ParameterRole role;
  };

  /// The parameters that were registered here, not those of roled modules inside.
  const std::vector<RoledParameter>& roles() const { return roles_; }

  /// The role is that of the filters; a bias has the role of biases.
  torch::nn::Conv2d registerConvolution(const std::string& name,
                                        ParameterRole role,
                                        const torch::nn::Conv2dOptions& options);

  /// The role is that of the matrix; a bias has the role of biases.
  torch::nn::Linear registerLinear(const std::string& name,
                                   ParameterRole role,
                                   const torch::nn::LinearOptions& options);

  torch::nn::BatchNorm2d registerNorm(const std::string& name, std::int64_t channels);

  at::Tensor registerParameter(const std::string& name, ParameterRole role, at::Tensor value);

 private:
  void addRole(const at::Tensor& parameter, ParameterRole role);

  std::vector<RoledParameter> roles_;
};

/// The role of each of the module's parameters, in the order of its named_parameters(). Throws
/// c10::Error naming a parameter that was registered without one.
std::vector<ParameterRole> rolesOf(const torch::nn::Module& module);

}  // namespace lambda
