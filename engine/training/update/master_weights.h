#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

#include "engine/training/update/optimizer.h"

namespace lambda {

/// Puts the optimiser's float32 master weights into the module for a scope, in the place of those
/// that are rounded to bfloat16: for what is computed in float32, and for who sets weights. What is
/// written to the module in the scope is written to the masters, and the rounded weights follow
/// at its end. Does nothing where the module's weights are float32, averaged weights included.
class MasterWeights {
 public:
  explicit MasterWeights(const Optimizer& optimizer) : MasterWeights(optimizer.parameters()) {}

  explicit MasterWeights(const std::vector<UpdatedParameter>& parameters);
  ~MasterWeights();

  MasterWeights(const MasterWeights&) = delete;
  MasterWeights& operator=(const MasterWeights&) = delete;

 private:
  struct Exchanged {
    at::Tensor parameter;
    at::Tensor rounded;
  };

  std::vector<Exchanged> exchanged_;
};

}  // namespace lambda
