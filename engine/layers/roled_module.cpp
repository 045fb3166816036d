#include "engine/layers/roled_module.h"

#include <unordered_map>
#include <utility>

namespace lambda {

torch::nn::Conv2d RoledModule::registerConvolution(const std::string& name,
                                                   ParameterRole role,
                                                   const torch::nn::Conv2dOptions& options) {
  torch::nn::Conv2d convolution = register_module(name, torch::nn::Conv2d(options));
  addRole(convolution->weight, role);
  addRole(convolution->bias, ParameterRole::bias);
  return convolution;
}

torch::nn::Linear RoledModule::registerLinear(const std::string& name,
                                              ParameterRole role,
                                              const torch::nn::LinearOptions& options) {
  torch::nn::Linear linear = register_module(name, torch::nn::Linear(options));
  addRole(linear->weight, role);
  addRole(linear->bias, ParameterRole::bias);
  return linear;
}

torch::nn::BatchNorm2d RoledModule::registerNorm(const std::string& name, std::int64_t channels) {
  torch::nn::BatchNorm2d norm = register_module(name, torch::nn::BatchNorm2d(channels));
  addRole(norm->weight, ParameterRole::norm);
  addRole(norm->bias, ParameterRole::norm);
  return norm;
}

at::Tensor RoledModule::registerParameter(const std::string& name,
                                          ParameterRole role,
                                          at::Tensor value) {
  at::Tensor parameter = register_parameter(name, std::move(value));
  addRole(parameter, role);
  return parameter;
}

void RoledModule::addRole(const at::Tensor& parameter, ParameterRole role) {
  if (parameter.defined()) roles_.push_back({parameter, role});
}

std::vector<ParameterRole> rolesOf(const torch::nn::Module& module) {
  std::unordered_map<const at::TensorImpl*, ParameterRole> known;
  const auto collect = [&known](const torch::nn::Module& each) {
    const auto* roled = dynamic_cast<const RoledModule*>(&each);
    if (roled == nullptr) return;
    for (const auto& [parameter, role] : roled->roles()) {
      known.emplace(parameter.unsafeGetTensorImpl(), role);
    }
  };
  collect(module);
  for (const auto& inside : module.modules(/*include_self=*/false)) collect(*inside);

  std::vector<ParameterRole> roles;
  for (const auto& item : module.named_parameters()) {
    const auto found = known.find(item.value().unsafeGetTensorImpl());
    TORCH_CHECK(found != known.end(),
                "parameter ",
                item.key(),
                ": it has no role; its module must register it by a function of RoledModule");
    roles.push_back(found->second);
  }
  return roles;
}

}  // namespace lambda
