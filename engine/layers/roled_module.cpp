#include "engine/layers/roled_module.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include <ATen/CPUGeneratorImpl.h>
#include <torch/nn/init.h>
#include <torch/utils.h>

#include "engine/runtime/random.h"

namespace lambda {

namespace {

/// LibTorch's own distribution for the weights [out, in, ...] and the bias of a layer.
std::optional<InitialValues> libraryValues(const at::Tensor& weight) {
  const auto fanIn = static_cast<double>(weight.numel() / weight.size(0));
  return InitialValues{InitialValues::Kind::uniform, 1.0 / std::sqrt(fanIn)};
}

std::uint64_t keyOf(std::uint64_t seed, const std::string& name) {
  std::uint64_t hash = 0xCBF29CE484222325ULL;  // FNV-1a.
  for (const char c : name) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
  }
  return KeyedRandom({seed, hash}).bits();
}

using ByParameter = std::unordered_map<const at::TensorImpl*, RoledModule::RoledParameter>;

ByParameter registeredIn(const torch::nn::Module& module) {
  ByParameter known;
  const auto collect = [&known](const torch::nn::Module& each) {
    const auto* roled = dynamic_cast<const RoledModule*>(&each);
    if (roled == nullptr) return;
    for (const RoledModule::RoledParameter& registered : roled->roles()) {
      known.emplace(registered.parameter.unsafeGetTensorImpl(), registered);
    }
  };
  collect(module);
  for (const auto& inside : module.modules(/*include_self=*/false)) collect(*inside);
  return known;
}

}  // namespace

torch::nn::Conv2d RoledModule::registerConvolution(const std::string& name,
                                                   ParameterRole role,
                                                   const torch::nn::Conv2dOptions& options) {
  torch::nn::Conv2d convolution = register_module(name, torch::nn::Conv2d(options));
  const std::optional<InitialValues> drawn = libraryValues(convolution->weight);
  addRole(convolution->weight, role, drawn);
  addRole(convolution->bias, ParameterRole::bias, drawn);
  return convolution;
}

torch::nn::Linear RoledModule::registerLinear(const std::string& name,
                                              ParameterRole role,
                                              const torch::nn::LinearOptions& options) {
  torch::nn::Linear linear = register_module(name, torch::nn::Linear(options));
  const std::optional<InitialValues> drawn = libraryValues(linear->weight);
  addRole(linear->weight, role, drawn);
  addRole(linear->bias, ParameterRole::bias, drawn);
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

void RoledModule::drawNormal(const at::Tensor& parameter, double deviation) {
  const auto registered = std::ranges::find_if(
      roles_, [&](const RoledParameter& each) { return each.parameter.is_same(parameter); });
  TORCH_CHECK(registered != roles_.end(), "drawNormal: the parameter is not registered");
  registered->drawn = InitialValues{InitialValues::Kind::normal, deviation};
  torch::nn::init::normal_(parameter, 0.0, deviation);
}

void RoledModule::drawFilters(const torch::nn::Conv2d& convolution) {
  const at::Tensor& filters = convolution->weight;  // [out, in / groups, height, width]
  const auto inputs = static_cast<double>(filters.size(1));
  const auto fanOut = static_cast<double>(filters.numel()) / inputs;
  const auto groups = static_cast<double>(convolution->options.groups());
  drawNormal(filters, std::sqrt(2.0) / std::sqrt(fanOut) * std::sqrt(groups));
}

void RoledModule::addRole(const at::Tensor& parameter,
                          ParameterRole role,
                          std::optional<InitialValues> drawn) {
  if (parameter.defined()) roles_.push_back({parameter, role, drawn});
}

std::vector<ParameterRole> rolesOf(const torch::nn::Module& module) {
  const ByParameter known = registeredIn(module);
  std::vector<ParameterRole> roles;
  for (const auto& item : module.named_parameters()) {
    const auto found = known.find(item.value().unsafeGetTensorImpl());
    TORCH_CHECK(found != known.end(),
                "parameter ",
                item.key(),
                ": it has no role; its module must register it by a function of RoledModule");
    roles.push_back(found->second.role);
  }
  return roles;
}

void drawByName(torch::nn::Module& module, std::uint64_t seed) {
  const torch::NoGradGuard noGradients;
  const ByParameter known = registeredIn(module);
  for (auto& item : module.named_parameters()) {
    const auto found = known.find(item.value().unsafeGetTensorImpl());
    if (found == known.end() || !found->second.drawn) continue;
    const auto [kind, scale] = *found->second.drawn;
    const at::Generator generator = at::detail::createCPUGenerator(keyOf(seed, item.key()));
    switch (kind) {
      case InitialValues::Kind::normal:
        item.value().normal_(0.0, scale, generator);
        break;
      case InitialValues::Kind::uniform:
        item.value().uniform_(-scale, scale, generator);
        break;
    }
  }
}

}  // namespace lambda
