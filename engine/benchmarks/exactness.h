#pragma once

#include <string>
#include <vector>

#include <ATen/ATen.h>

#include "engine/values/config/run_config.h"

namespace lambda {

/// While it lives, the memory of new CPU tensors is filled with NaN; on a GPU, the memory that was
/// unused at construction, see poisonUnusedMemory(). An output that is not written, or only added
/// to, is therefore detected. Only one object may exist at a time.
class PoisonedTensors {
 public:
  explicit PoisonedTensors(const at::Device& device = at::kCPU);
  ~PoisonedTensors();
  PoisonedTensors(const PoisonedTensors&) = delete;
  PoisonedTensors& operator=(const PoisonedTensors&) = delete;
};

/// The largest of the tensors' distances |found - expected|, each relative to |expected| (2-norms).
/// A tensor that should be 0, such as the gradient of an input without influence, is compared
/// relative to the largest of `expected`. Infinity if `found` has values that are not finite.
double relativeDistance(const std::vector<at::Tensor>& found,
                        const std::vector<at::Tensor>& expected);

/// The greatest accepted distance from float64: 1e-5 in float32, 1e-2 in bfloat16.
double toleranceOf(Precision precision);

/// Throws Error, naming the form, for a distance beyond `slack` times the tolerance.
void requireExact(const std::string& form, double distance, Precision precision, double slack = 1);

}  // namespace lambda
