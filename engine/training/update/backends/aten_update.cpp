#include "engine/training/update/backends/aten_update.h"

#include <cmath>
#include <map>
#include <utility>

#include <ATen/ATen.h>

#include "engine/training/update/backends/gradient_norm.h"
#include "engine/training/update/master_weights.h"
#include "engine/training/update/weight_average.h"

namespace lambda {

namespace {

/// The parameters that share a learning rate and a weight decay, with their gradients and moments.
struct Group {
  std::vector<at::Tensor> parameters;
  std::vector<at::Tensor> gradients;      ///< In the parameters' type.
  std::vector<at::Tensor> firstMoments;   ///< Momentum, or the first moment.
  std::vector<at::Tensor> secondMoments;  ///< The second moment; Adam and AdamW.
  std::vector<at::Tensor> steps;          ///< Updates done, float32 scalars; Adam and AdamW.
  double learningRate = 0;
  double weightDecay = 0;
};

/// The parameters with their step counts on the device of the weights, as ATen's kernels need them.
std::vector<UpdatedParameter> countedInPlace(std::vector<UpdatedParameter> parameters) {
  for (UpdatedParameter& each : parameters) {
    if (each.steps.defined()) each.steps = each.steps.to(each.master.device());
  }
  return parameters;
}

/// Raises autograd's version counters, which the fused kernels leave unchanged.
void bumpVersions(const std::vector<at::Tensor>& parameters) {
  for (const at::Tensor& parameter : parameters) parameter.unsafeGetTensorImpl()->bump_version();
}

/// Updates one group. With Muon, the weights that are not filters are updated by SGD.
void updateByAten(const OptimizerConfig& config, Group group) {
  bumpVersions(group.parameters);
  switch (config.kind) {
    case OptimizerKind::sgd:
    case OptimizerKind::muon:
      if (config.momentum == 0)
        group.firstMoments.clear();  // The kernel rejects a momentum that it does not use.
      at::_fused_sgd_(group.parameters,
                      group.gradients,
                      group.firstMoments,
                      group.weightDecay,
                      config.momentum,
                      group.learningRate,
                      /*dampening=*/0,
                      config.nesterov,
                      /*maximize=*/false,
                      /*is_first_step=*/false);
      return;
    case OptimizerKind::adam:
    case OptimizerKind::adamw:
      at::_foreach_add_(group.steps, 1);
      const auto updateBy = [&](const auto& kernel) {
        kernel(group.parameters,
               group.gradients,
               group.firstMoments,
               group.secondMoments,
               at::TensorList(),
               group.steps,
               group.learningRate,
               config.beta1,
               config.beta2,
               group.weightDecay,
               config.epsilon,
               /*amsgrad=*/false,
               /*maximize=*/false);
      };
      if (config.kind == OptimizerKind::adam) {
        updateBy([](const auto&... all) { at::_fused_adam_(all...); });
      } else {
        updateBy([](const auto&... all) { at::_fused_adamw_(all...); });
      }
      return;
  }
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
  std::map<std::pair<double, double>, Group> groups;
  for (const UpdatedParameter& each : parameters()) {
    const at::Tensor gradient = each.gradient();
    if (!gradient.defined() || each.orthogonalized) continue;
    Group& group = groups[{each.rateFactor, each.weightDecay}];
    group.learningRate = learningRate * each.rateFactor;
    group.weightDecay = each.weightDecay;
    group.parameters.push_back(each.master.detach());
    group.gradients.push_back(gradient.to(each.master.scalar_type()));
    group.firstMoments.push_back(each.firstMoment);
    if (!each.secondMoment.defined()) continue;
    group.secondMoments.push_back(each.secondMoment);
    group.steps.push_back(each.steps);
  }
  for (auto& [rates, group] : groups) {
    if (gradientScale != 1) at::_foreach_mul_(group.gradients, gradientScale);
    updateByAten(config(), std::move(group));
  }
  for (const UpdatedParameter& each : parameters()) each.round();
}

}  // namespace lambda
