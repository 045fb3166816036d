#include "engine/training/update/backends/update_rules.h"

#include <ATen/ATen.h>

namespace lambda {

namespace {

UpdateRates momentumRates(double momentum, bool nesterov) {
  UpdateRates rates{.momentum = momentum};
  if (momentum != 0) rates.rule = nesterov ? UpdateRule::nesterov : UpdateRule::momentum;
  return rates;
}

UpdateRates adamRates(UpdateRule rule, const Adam& adam) {
  return {.rule = rule, .beta1 = adam.beta1, .beta2 = adam.beta2, .epsilon = adam.epsilon};
}

UpdateRates ratesOf(const Sgd& sgd) {
  return momentumRates(sgd.momentum, sgd.nesterov);
}

UpdateRates ratesOf(const Muon& muon) {
  return momentumRates(muon.momentum, muon.nesterov);
}

UpdateRates ratesOf(const Adam& adam) {
  return adamRates(UpdateRule::adam, adam);
}

UpdateRates ratesOf(const AdamW& adamw) {
  return adamRates(UpdateRule::adamw, adamw);
}

UpdateRates ratesOf(const Lion& lion) {
  return {.rule = UpdateRule::lion, .beta1 = lion.beta1, .beta2 = lion.beta2};
}

void moveByMomentum(UpdatedGroup& group, double momentum, bool nesterov) {
  // The kernel rejects a momentum that it does not use.
  if (momentum == 0) group.firstMoments.clear();
  at::_fused_sgd_(group.parameters,
                  group.gradients,
                  group.firstMoments,
                  group.weightDecay,
                  momentum,
                  group.learningRate,
                  /*dampening=*/0,
                  nesterov,
                  /*maximize=*/false,
                  /*is_first_step=*/false);
}

/// `kernel` is at::_fused_adam_ or at::_fused_adamw_.
template <class Kernel>
void moveByAdam(UpdatedGroup& group, const Adam& adam, const Kernel& kernel) {
  at::_foreach_add_(group.steps, 1);
  kernel(group.parameters,
         group.gradients,
         group.firstMoments,
         group.secondMoments,
         at::TensorList(),
         group.steps,
         group.learningRate,
         adam.beta1,
         adam.beta2,
         group.weightDecay,
         adam.epsilon,
         /*amsgrad=*/false,
         /*maximize=*/false);
}

void move(UpdatedGroup& group, const Sgd& sgd) {
  moveByMomentum(group, sgd.momentum, sgd.nesterov);
}

void move(UpdatedGroup& group, const Muon& muon) {
  moveByMomentum(group, muon.momentum, muon.nesterov);
}

void move(UpdatedGroup& group, const Adam& adam) {
  moveByAdam(group, adam, [](const auto&... all) { at::_fused_adam_(all...); });
}

void move(UpdatedGroup& group, const AdamW& adamw) {
  moveByAdam(group, adamw, [](const auto&... all) { at::_fused_adamw_(all...); });
}

void move(UpdatedGroup& group, const Lion& lion) {
  at::_foreach_mul_(group.parameters, 1 - group.learningRate * group.weightDecay);
  std::vector<at::Tensor> signs =
      at::_foreach_lerp(group.firstMoments, group.gradients, 1 - lion.beta1);
  at::_foreach_sign_(signs);
  at::_foreach_add_(group.parameters, signs, -group.learningRate);
  at::_foreach_lerp_(group.firstMoments, group.gradients, 1 - lion.beta2);
}

}  // namespace

UpdateRates constantRatesOf(const OptimizerKind& kind) {
  return std::visit([](const auto& options) { return ratesOf(options); }, kind);
}

void updateByAten(const OptimizerKind& kind, UpdatedGroup& group) {
  // The fused kernels leave autograd's version counters unchanged.
  for (const at::Tensor& parameter : group.parameters)
    parameter.unsafeGetTensorImpl()->bump_version();
  std::visit([&](const auto& options) { move(group, options); }, kind);
}

}  // namespace lambda
