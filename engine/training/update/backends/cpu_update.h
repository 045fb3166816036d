#pragma once

#include "engine/training/update/weight_update.h"

namespace lambda {

/// The update on the CPU: clipping, update, rounding and moving average in one pass over memory for
/// all parameters together, see engine/kernels/update/weight_update_kernel.h. The parameters must
/// pass kernelsCanUpdate().
class CpuUpdate : public WeightUpdate {
 public:
  using WeightUpdate::WeightUpdate;

  at::Tensor apply(const UpdateStep& step) override;
};

}  // namespace lambda
