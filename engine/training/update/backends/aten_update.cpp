#include "engine/training/update/backends/aten_update.h"

#include <map>
#include <utility>

#include <ATen/ATen.h>

#include "engine/training/update/backends/gradient_norm.h"
#include "engine/training/update/backends/update_rules.h"
#include "engine/training/update/master_weights.h"
#include "engine/training/update/weight_average.h"

namespace lambda {

namespace {

/// The parameters with their step counts on the device of the weights, as ATen's kernels need them.
std::vector<UpdatedParameter> countedInPlace(std::vector<UpdatedParameter> parameters) {
  for (UpdatedParameter& each : parameters) {
    if (each.steps.defined()) each.steps = each.steps.to(each.master.device());
  }
  return parameters;
}

}  // namespace

AtenUpdate::AtenUpdate(const OptimizerConfig& config, std::vector<UpdatedParameter> parameters)
    : WeightUpdate(config, countedInPlace(std::move(parameters))) {}

at::Tensor AtenUpdate::apply(const UpdateStep& step) {
  const at::Tensor norm = gradientNormByAten(gradients());
  at::Tensor judged = norm;
  if (step.loss.defined()) judged = at::stack({norm, step.loss.to(norm.options())});
  if (!judged.isfinite().all().item<bool>()) return norm;
  const double scale = clippingScale(norm.item<double>());
  filters().sendRate(step.learningRate);
  updateFilters(scale != 1 ? at::scalar_tensor(scale) : at::Tensor(), {});
  updateOthers(step.learningRate, scale);
  if (step.average != nullptr) {
    const MasterWeights averaged(parameters());
    step.average->update(step.step);
  }
  return norm;
}

void AtenUpdate::updateOthers(double learningRate, double gradientScale) const {
  std::map<std::pair<double, double>, UpdatedGroup> groups;
  for (const UpdatedParameter& each : parameters()) {
    const at::Tensor gradient = each.gradient();
    if (!gradient.defined() || each.orthogonalized) continue;
    UpdatedGroup& group = groups[{each.rateFactor, each.weightDecay}];
    group.learningRate = learningRate * each.rateFactor;
    group.weightDecay = each.weightDecay;
    group.parameters.push_back(each.master.detach());
    group.gradients.push_back(gradient.to(each.master.scalar_type()));
    group.firstMoments.push_back(each.firstMoment);
    if (each.secondMoment.defined()) group.secondMoments.push_back(each.secondMoment);
    if (each.steps.defined()) group.steps.push_back(each.steps);
  }
  for (auto& [rates, group] : groups) {
    if (gradientScale != 1) at::_foreach_mul_(group.gradients, gradientScale);
    updateByAten(config().kind, group);
  }
  for (const UpdatedParameter& each : parameters()) each.round();
}

}  // namespace lambda
