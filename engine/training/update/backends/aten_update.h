#pragma once

#include <vector>

#include "engine/training/update/weight_update.h"

namespace lambda {

/// The update by ATen's fused kernels, which need neither float32 nor a certain memory order: the
/// back end for parameters that our kernels don't support, and the reference that they are compared
/// with. Waits for a GPU.
class AtenUpdate : public WeightUpdate {
 public:
  AtenUpdate(const OptimizerConfig& config, std::vector<UpdatedParameter> parameters);

  at::Tensor apply(const UpdateStep& step) override;

 private:
  void updateOthers(double learningRate, double gradientScale) const;
};

}  // namespace lambda
