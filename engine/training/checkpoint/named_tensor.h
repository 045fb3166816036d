#pragma once

#include <string>

#include <ATen/core/Tensor.h>

namespace lambda {

/// A named piece of state that a checkpoint keeps. The tensor is the live one, not a copy.
struct NamedTensor {
  std::string name;
  at::Tensor tensor;
};

}  // namespace lambda
