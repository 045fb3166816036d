#pragma once

#include <string>
#include <vector>

#include <ATen/ATen.h>

#include "engine/values/run_config.h"

namespace lambda {

/// While it lives, the memory of new CPU tensors is filled with NaN, so that an output that is not
/// written, or added to instead of written, can't pass for a result. One at a time.
class PoisonedTensors {
 public:
  PoisonedTensors();
  ~PoisonedTensors();
  PoisonedTensors(const PoisonedTensors&) = delete;
  PoisonedTensors& operator=(const PoisonedTensors&) = delete;
};

/// The largest of the tensors' distances |found - expected|, each relative to |expected| (2-norms).
/// One that should be 0, as the gradient of what has no influence, is held against the largest of
/// `expected` instead. Infinity where `found` has values that are not finite.
double relativeDistance(const std::vector<at::Tensor>& found,
                        const std::vector<at::Tensor>& expected);

/// What a computation may be away from float64: 1e-5 in float32, 1e-2 in bfloat16.
double toleranceOf(Precision precision);

/// Throws Error, naming the form, for a distance beyond `slack` times the tolerance.
void requireExact(const std::string& form, double distance, Precision precision, double slack = 1);

}  // namespace lambda
