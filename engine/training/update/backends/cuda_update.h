#pragma once

#include <memory>

#include "engine/kernels/cuda/cuda_kernels.h"
#include "engine/training/update/backends/device_update.h"
#include "engine/training/update/backends/update_operands.h"
#include "engine/training/update/weight_update.h"

namespace lambda {

/// An update that was queued without the values that differ from step to step, so that it can be
/// recorded. Keeps the memory that the update reads.
struct QueuedUpdate {
  UpdateOperands operands;
  at::Tensor gradientNorm;  ///< As apply() returns it; every replay overwrites it.
};

/// The update by CUDA kernels, on a GPU or an emulated one. The norm is computed on the device too,
/// so that nothing waits for it. A step whose norm or loss is not finite is counted although it
/// moves no weight. The parameters must pass kernelsCanUpdate().
class CudaUpdate : public WeightUpdate {
 public:
  CudaUpdate(const OptimizerConfig& config,
             std::vector<UpdatedParameter> parameters,
             const CudaKernels& kernels);

  at::Tensor apply(const UpdateStep& step) override;

  /// One half of apply(): queues the update. If it is recorded, it can be replayed after each
  /// send().
  QueuedUpdate queue(const at::Tensor& loss, WeightAverage* average);

  /// The other half: counts a step, and sends its rates to the update, which may be queued before
  /// or after.
  void send(QueuedUpdate& update, const UpdateStep& step);

 private:
  UpdateOperands gather(WeightAverage* average) const;
  void send(UpdateOperands& operands, const UpdateStep& step);
  at::Tensor queue(const UpdateOperands& operands, const at::Tensor& loss);
  DeviceUpdate& deviceUpdateFor(const UpdateOperands& operands);

  const CudaKernels& kernels_;
  std::unique_ptr<DeviceUpdate> deviceUpdate_;  // Null before the first update.
  at::Tensor lossOrNan_;  // float32 scalar; NaN keeps the kernels from moving weights. Muon only.
};

}  // namespace lambda
