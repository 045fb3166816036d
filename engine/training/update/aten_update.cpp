#include "engine/training/update/aten_update.h"

namespace lambda {

namespace {

/// The kernels leave the versions of what they write as they were.
void countAsWritten(const std::vector<at::Tensor>& parameters) {
  for (const at::Tensor& parameter : parameters) parameter.unsafeGetTensorImpl()->bump_version();
}

}  // namespace

void updateByAten(const OptimizerConfig& config, UpdatedGroup group) {
  if (group.parameters.empty()) return;
  countAsWritten(group.parameters);
  switch (config.kind) {
    case OptimizerKind::sgd:
    case OptimizerKind::muon:
      if (config.momentum == 0) group.firsts.clear();  // The kernel refuses what it would not use.
      at::_fused_sgd_(group.parameters,
                      group.gradients,
                      group.firsts,
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
      for (at::Tensor& count : group.steps) count = count.to(group.parameters.front().device());
      const auto updateBy = [&](const auto& kernel) {
        kernel(group.parameters,
               group.gradients,
               group.firsts,
               group.seconds,
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

}  // namespace lambda
