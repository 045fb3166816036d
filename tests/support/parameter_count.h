#pragma once

#include <cstdint>

#include <torch/nn/module.h>

namespace lambda::test {

/// How many values the parameters of a module have.
inline std::int64_t parameterCount(const torch::nn::Module& module) {
  std::int64_t count = 0;
  for (const at::Tensor& parameter : module.parameters()) count += parameter.numel();
  return count;
}

}  // namespace lambda::test
