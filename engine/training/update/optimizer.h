#pragma once

#include <memory>
#include <vector>

#include <torch/nn/module.h>

#include "engine/kernels/cuda/cuda_kernels.h"
#include "engine/training/checkpoint/named_tensor.h"
#include "engine/training/update/weight_update.h"

namespace lambda {

class CudaUpdate;

/// How updates are computed, apart from the recipe's settings.
struct UpdateOptions {
  /// bfloat16: the module's convolutions compute with rounded weights, of which the optimiser keeps
  /// the float32 masters.
  Precision precision = Precision::float32;
  double backboneRate = 1;  ///< Learning rate of all parameters but the head's, as a factor.
  const CudaKernels* kernels = nullptr;  ///< For weights on a GPU or an emulated one; null = none.
  bool byAten = false;                   ///< Always use AtenUpdate, the reference.
};

/// Updates the parameters of a module from their gradients. The role of a parameter decides its
/// learning rate and weight decay, see RoledModule; Muon updates those of ParameterRole::filter.
/// The back end is the first that supports the parameters: CudaUpdate, CpuUpdate, AtenUpdate. All
/// state is created at the start, so that every checkpoint holds all of it. Lives on the training
/// thread.
class Optimizer {
 public:
  Optimizer(const OptimizerConfig& config,
            const torch::nn::Module& module,
            const UpdateOptions& options = {});
  ~Optimizer();

  Optimizer(Optimizer&&) noexcept;
  Optimizer& operator=(Optimizer&&) noexcept;

  /// Drops all gradients.
  void zeroGrad();

  /// One update, as WeightUpdate::apply().
  at::Tensor apply(const UpdateStep& step) { return update_->apply(step); }

  /// The back end if it is CudaUpdate, whose updates are queued and can be recorded; else null.
  CudaUpdate* onDevice() const { return onDevice_; }

  /// The updated parameters in the module's order.
  const std::vector<UpdatedParameter>& parameters() const { return update_->parameters(); }

  /// The state of each parameter under the names of the optimiser's traits, for example
  /// "NAME.mean", "NAME.variance" and "NAME.step" for Adam.
  std::vector<NamedTensor> state() const;

 private:
  OptimizerTraits traits_;
  std::unique_ptr<WeightUpdate> update_;
  CudaUpdate* onDevice_ = nullptr;
};

}  // namespace lambda
