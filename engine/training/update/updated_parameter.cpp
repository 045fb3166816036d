#include "engine/training/update/updated_parameter.h"

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
    if (!each.name.starts_with("head.")) each.rateFactor *= backboneRate;
    each.weightDecay = weightDecayOf(config, role);
    each.orthogonalized = traits.orthogonalizesFilters && role == ParameterRole::filter;
    parameters.push_back(std::move(each));
  }
  return parameters;
}

}  // namespace lambda
