#pragma once

#include <memory>
#include <vector>

#include <torch/nn/module.h>

#include "engine/kernels/cuda/cuda_kernels.h"
#include "engine/training/checkpoint/named_tensor.h"
#include "engine/training/update/weight_update.h"

namespace lambda {

class CudaUpdate;

/// How updates are computed, beside what the recipe says.
struct UpdateOptions {
  /// bfloat16: the module's convolutions compute with rounded weights, of which the optimiser keeps
  /// the float32 masters.
  Precision precision = Precision::float32;
  const CudaKernels* kernels = nullptr;  ///< For weights on a GPU or an emulated one; null = none.
  bool byAten = false;                   ///< By AtenUpdate wherever the weights are, the reference.
};

/// Moves the parameters of a module along their gradients. Learning rate and weight decay of a
/// parameter go by its role, see RoledModule; Muon moves those of ParameterRole::filter. The back
/// end is the fastest that takes the parameters: CudaUpdate, CpuUpdate, AtenUpdate. All state is
/// created at the start, so that a checkpoint always has all of it. Lives on the training thread.
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

  /// The back end where it is the CUDA kernels, whose updates are queued and can be recorded; null
  /// where it is another.
  CudaUpdate* onDevice() const { return onDevice_; }

  /// What it updates, in the module's order.
  const std::vector<UpdatedParameter>& parameters() const { return update_->parameters(); }

  /// "NAME.momentum", or "NAME.mean", "NAME.variance" and "NAME.step".
  std::vector<NamedTensor> state() const;

 private:
  std::unique_ptr<WeightUpdate> update_;
  CudaUpdate* onDevice_ = nullptr;
};

}  // namespace lambda
