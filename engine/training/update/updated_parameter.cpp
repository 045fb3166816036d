#include "engine/training/update/updated_parameter.h"

#include <algorithm>
#include <iterator>

#include <ATen/ATen.h>

#include "engine/layers/roled_module.h"

namespace lambda {

namespace {

/// Whether parameters of the role are weights of convolutions, which are kept rounded to bfloat16.
/// Autocast rounds those of the classifier.
bool isRoundedRole(ParameterRole role) {
  switch (role) {
    case ParameterRole::input:
    case ParameterRole::filter:
    case ParameterRole::projection:
      return true;
    case ParameterRole::norm:
    case ParameterRole::bias:
    case ParameterRole::embedding:
    case ParameterRole::head:
      return false;
  }
  return false;
}

/// The name of a parameter's module: "stem.conv" of "stem.conv.weight".
std::string ownerOf(const std::string& parameter) {
  return parameter.substr(0, parameter.rfind('.'));
}

}  // namespace

void UpdatedParameter::round() const {
  if (isRounded()) parameter.detach().copy_(master.detach());
}

std::vector<UpdatedParameter> updatedParametersOf(const OptimizerConfig& config,
                                                  const torch::nn::Module& module,
                                                  Precision precision,
                                                  double backboneRate) {
  const OptimizerTraits traits = traitsOf(config.kind);
  const std::vector<ParameterRole> roles = rolesOf(module);
  std::vector<UpdatedParameter> parameters;
  // The bias of the classifier has the role of a bias; it belongs to the module of its weights.
  const auto names = module.named_parameters().keys();
  const auto head = std::ranges::find(roles, ParameterRole::head) - roles.begin();
  const std::string owner = head < std::ssize(names) ? ownerOf(names[head]) : std::string();
  for (const auto& item : module.named_parameters()) {
    const ParameterRole role = roles[parameters.size()];
    UpdatedParameter each;
    each.name = item.key();
    each.parameter = item.value();
    each.master = item.value();
    if (precision == Precision::bfloat16 && isRoundedRole(role)) {
      TORCH_CHECK(each.parameter.scalar_type() == at::kFloat,
                  "optimizer: expected ",
                  each.name,
                  " in float32 to keep it as master weights, got ",
                  each.parameter.scalar_type());
      each.master = each.parameter.detach();
      each.parameter.set_data(each.master.to(at::kBFloat16));
    }
    each.firstMoment = at::zeros_like(each.master.detach());
    if (!traits.secondMoment.empty()) each.secondMoment = at::zeros_like(each.master.detach());
    if (traits.countsSteps) each.steps = at::zeros({}, at::kFloat);
    each.rateFactor = factorOf(config.rateFactors, role);
    if (ownerOf(each.name) != owner) each.rateFactor *= backboneRate;
    each.weightDecay = weightDecayOf(config, role);
    each.orthogonalized = traits.orthogonalizesFilters && role == ParameterRole::filter;
    parameters.push_back(std::move(each));
  }
  return parameters;
}

}  // namespace lambda
