#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

#include "engine/training/update/optimizer.h"

namespace lambda {

/// Puts the optimiser's float32 master weights into the module for a scope, in place of the weights
/// that are rounded to bfloat16. Code that computes in float32 or sets weights needs them. Within
/// the scope, writes to the module go to the masters; at its end they are rounded again. Skips
/// weights that are float32 in the module, averaged weights included.
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
