#pragma once

#include <ATen/core/Tensor.h>

#include "engine/values/run/histogram.h"

namespace lambda {

/// Number of patterns of a float32's upper 11 bits: its sign, its exponent, two bits of mantissa.
inline constexpr std::int64_t kValuePatterns = 1 << 11;

/// How many values of a tensor of any floating type have each pattern, as float32: int64
/// [kValuePatterns] on the tensor's device, where only this work is queued. One pass over the
/// values, whatever they are; the counts of several tensors can be added.
at::Tensor patternCounts(const at::Tensor& values);

/// The same by operations of LibTorch, which run on every device (reference).
at::Tensor patternCountsByAten(const at::Tensor& values);

/// The histogram of counts on the CPU. Each bin is a pattern.
Histogram histogramOf(const at::Tensor& counts);

}  // namespace lambda
