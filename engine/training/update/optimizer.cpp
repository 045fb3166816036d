#include "engine/training/update/optimizer.h"

#include <algorithm>
#include <utility>

#include <ATen/ATen.h>

#include "engine/training/update/backends/aten_update.h"
#include "engine/training/update/backends/cpu_update.h"
#include "engine/training/update/backends/cuda_update.h"
#include "engine/training/update/backends/update_operands.h"

namespace lambda {

Optimizer::Optimizer(const OptimizerConfig& wanted,
                     const torch::nn::Module& module,
                     const UpdateOptions& options)
    : traits_(traitsOf(wanted.kind)) {
  std::vector<UpdatedParameter> parameters =
      updatedParametersOf(wanted, module, options.precision, options.backboneRate);
  OptimizerConfig config = wanted;
  config.rateFactors.filter *= options.backboneRate;  // Muon's rate is not among the parameters'.
  const bool byKernels = !options.byAten && kernelsCanUpdate(parameters);
  if (byKernels && options.kernels != nullptr) {
    auto update = std::make_unique<CudaUpdate>(config, std::move(parameters), *options.kernels);
    onDevice_ = update.get();
    update_ = std::move(update);
    return;
  }
  const bool areOnCpu = std::ranges::all_of(
      parameters, [](const UpdatedParameter& each) { return each.master.is_cpu(); });
  if (byKernels && areOnCpu) {
    update_ = std::make_unique<CpuUpdate>(config, std::move(parameters));
  } else {
    update_ = std::make_unique<AtenUpdate>(config, std::move(parameters));
  }
}

Optimizer::~Optimizer() = default;
Optimizer::Optimizer(Optimizer&&) noexcept = default;
Optimizer& Optimizer::operator=(Optimizer&&) noexcept = default;

void Optimizer::zeroGrad() {
  for (const UpdatedParameter& each : parameters()) each.parameter.mutable_grad().reset();
}

std::vector<NamedTensor> Optimizer::state() const {
  std::vector<NamedTensor> state;
  for (const UpdatedParameter& each : parameters()) {
    const auto add = [&](std::string_view name, const at::Tensor& tensor) {
      if (tensor.defined()) state.push_back({each.name + "." + std::string(name), tensor});
    };
    add(traits_.firstMoment, each.firstMoment);
    add(traits_.secondMoment, each.secondMoment);
    add("step", each.steps);
  }
  return state;
}

}  // namespace lambda
