#pragma once

#include <memory>

#include "engine/kernels/cuda/cuda_kernels.h"
#include "engine/training/update/device_update.h"
#include "engine/training/update/update_operands.h"
#include "engine/training/update/weight_update.h"

namespace lambda {

/// An update that was queued without what differs from step to step, for a step that is recorded.
/// Keeps the memory that the update reads.
struct QueuedUpdate {
  UpdateOperands operands;
  at::Tensor gradientNorm;  ///< As apply() returns it; every replay writes it anew.
};

/// The update by CUDA kernels, which find the norm too: nothing waits for the device. A step whose
/// norm or loss is not finite is counted all the same. For parameters that fit the kernels, on a
/// GPU or an emulated one.
class CudaUpdate : public WeightUpdate {
 public:
  CudaUpdate(const OptimizerConfig& config,
             std::vector<UpdatedParameter> parameters,
             const CudaKernels& kernels);

  at::Tensor apply(const UpdateStep& step) override;

  /// apply() by parts. This one queues the update; a record of it can be replayed after each
  /// send().
  QueuedUpdate queue(const at::Tensor& loss, WeightAverage* average);

  /// Counts a step, and sends what its update, which is queued or will be, reads of it.
  void send(QueuedUpdate& update, const UpdateStep& step);

 private:
  UpdateOperands gather(WeightAverage* average) const;
  void send(UpdateOperands& operands, const UpdateStep& step);
  at::Tensor queue(const UpdateOperands& operands, const at::Tensor& loss);
  DeviceUpdate& deviceUpdateFor(const UpdateOperands& operands);

  const CudaKernels& kernels_;
  std::unique_ptr<DeviceUpdate> deviceUpdate_;  // Null before the first one.
  at::Tensor lossOrNan_;  // float32 scalar, what keeps the kernels from moving weights; with Muon.
};

}  // namespace lambda
