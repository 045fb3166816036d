#pragma once

#include <string>
#include <vector>

#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include "engine/values/architecture/parameter_role.h"

namespace lambda {

/// A module that knows the role of each of its parameters. Its constructor registers them, and the
/// layers of LibTorch that hold them, by the functions below. Children that are RoledModules are
/// registered by register_module().
class RoledModule : public torch::nn::Module {
 public:
  struct RoledParameter {
    at::Tensor parameter;
    ParameterRole role;
  };

  /// The parameters that this module registered, without those of RoledModules inside it.
  const std::vector<RoledParameter>& roles() const { return roles_; }

  /// `role` is the role of the filters; a bias has ParameterRole::bias.
  torch::nn::Conv2d registerConvolution(const std::string& name,
                                        ParameterRole role,
                                        const torch::nn::Conv2dOptions& options);

  /// `role` is the role of the matrix; a bias has ParameterRole::bias.
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
