#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include "engine/values/architecture/parameter_role.h"

namespace lambda {

/// The distribution of a parameter's initial values.
struct InitialValues {
  enum class Kind { normal, uniform } kind;
  double scale;  ///< Standard deviation, or the bound of a uniform distribution around 0.
};

/// A module that knows the role of each of its parameters, and how the random ones were drawn. Its
/// constructor registers them, and the layers of LibTorch that hold them, by the functions below.
/// Children that are RoledModules are registered by register_module().
class RoledModule : public torch::nn::Module {
 public:
  struct RoledParameter {
    at::Tensor parameter;
    ParameterRole role;
    std::optional<InitialValues> drawn;  ///< Nothing for a constant.
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

  /// Draws the values of a registered parameter from a normal distribution around 0.
  void drawNormal(const at::Tensor& parameter, double deviation);

  /// Draws the filters [out, in / groups, ...] of a registered convolution from a normal
  /// distribution with variance 2 / fan-out (He et al., 2015), counted within a group.
  void drawFilters(const torch::nn::Conv2d& convolution);

 private:
  void addRole(const at::Tensor& parameter,
               ParameterRole role,
               std::optional<InitialValues> drawn = std::nullopt);

  std::vector<RoledParameter> roles_;
};

/// The role of each of the module's parameters, in the order of its named_parameters(). Throws
/// c10::Error naming a parameter that was registered without one.
std::vector<ParameterRole> rolesOf(const torch::nn::Module& module);

/// Draws all random parameters of the module again, each from the seed and its own name. Modules
/// that have a parameter of one name, shape and distribution then have the same values there,
/// whatever else they consist of.
void drawByName(torch::nn::Module& module, std::uint64_t seed);

}  // namespace lambda
