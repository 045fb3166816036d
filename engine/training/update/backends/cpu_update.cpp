#include "engine/training/update/backends/cpu_update.h"

#include <cmath>

#include <ATen/ATen.h>

#include "engine/layers/torch_threads.h"
#include "engine/training/update/backends/gradient_norm.h"
#include "engine/training/update/backends/update_operands.h"

namespace lambda {

at::Tensor CpuUpdate::apply(const UpdateStep& step) {
  const at::Tensor norm = gradientNormOf(gradients());
  const bool isLossFinite = !step.loss.defined() || std::isfinite(step.loss.item<double>());
  if (!isLossFinite || !std::isfinite(norm.item<double>())) return norm;
  const double scale = clippingScale(norm.item<double>());
  filters().sendRate(step.learningRate);
  updateFilters(scale != 1 ? at::scalar_tensor(scale) : at::Tensor(), {});
  UpdateOperands operands = gatherOperands(parameters(), step.average);
  countUpdate(parameters(), operands);
  UpdateRates rates = ratesOf(config().kind, step);
  rates.gradientScale = scale;
  updateWeights(rates, operands.tensors, onTorchThreads);
  return norm;
}

}  // namespace lambda
