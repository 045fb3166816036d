#include "engine/training/update/backends/cuda_update.h"

#include <limits>
#include <utility>

#include <ATen/ATen.h>

#include "engine/training/update/backends/gradient_norm.h"
#include "engine/training/update/backends/update_rules.h"

namespace lambda {

CudaUpdate::CudaUpdate(const OptimizerConfig& config,
                       std::vector<UpdatedParameter> parameters,
                       const CudaKernels& kernels)
    : WeightUpdate(config, std::move(parameters)), kernels_(kernels) {
  if (!filters().areNone())
    lossOrNan_ = at::empty({}, this->parameters().front().firstMoment.options());
}

at::Tensor CudaUpdate::apply(const UpdateStep& step) {
  TORCH_CHECK(step.loss.defined(), "update of the weights: the kernels need the loss of the step");
  UpdateOperands operands = gather(step.average);
  send(operands, step);
  return queue(operands, step.loss);
}

QueuedUpdate CudaUpdate::queue(const at::Tensor& loss, WeightAverage* average) {
  QueuedUpdate update{gather(average), {}};
  update.gradientNorm = queue(update.operands, loss);
  return update;
}

void CudaUpdate::send(QueuedUpdate& update, const UpdateStep& step) {
  send(update.operands, step);
}

UpdateOperands CudaUpdate::gather(WeightAverage* average) const {
  // With Muon the gradients are scaled in place, and rounding to bfloat16 would lose bits.
  const bool areScaled = lossOrNan_.defined() && config().gradientClip > 0;
  return gatherOperands(parameters(), average, areScaled);
}

void CudaUpdate::send(UpdateOperands& operands, const UpdateStep& step) {
  countUpdate(parameters(), operands);
  filters().sendRate(step.learningRate);
  deviceUpdateFor(operands).send(ratesOf(config().kind, step), operands.tensors);
}

at::Tensor CudaUpdate::queue(const UpdateOperands& operands, const at::Tensor& loss) {
  const UpdateRates rates = constantRatesOf(config().kind);
  if (filters().areNone()) return deviceUpdateFor(operands).queue(rates, loss);
  // The kernels get only the gradients that are not Muon's: norm, clipping and the check for finite
  // values need all of them.
  const at::Tensor norm = gradientNormOf(gradients()).to(loss.device());
  const at::Tensor moves = norm.isfinite().logical_and(loss.isfinite());
  at::Tensor scale;
  if (config().gradientClip > 0) {
    scale = (config().gradientClip / norm).clamp_max(1).to(at::kFloat);
    at::_foreach_mul_(operands.gradients, scale);
  }
  updateFilters(scale, moves);
  lossOrNan_.copy_(at::where(moves, loss, std::numeric_limits<double>::quiet_NaN()));
  deviceUpdateFor(operands).queue(rates, lossOrNan_);
  return norm;
}

DeviceUpdate& CudaUpdate::deviceUpdateFor(const UpdateOperands& operands) {
  if (!deviceUpdate_ || !deviceUpdate_->matches(operands.tensors)) {
    const double clip = filters().areNone() ? config().gradientClip : 0;
    deviceUpdate_ = std::make_unique<DeviceUpdate>(
        kernels_, operands.tensors, clip, parameters().front().master.device());
  }
  return *deviceUpdate_;
}

}  // namespace lambda
