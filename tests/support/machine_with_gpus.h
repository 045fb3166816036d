#pragma once

#include <string>
#include <vector>

#include "engine/runtime/cuda_facts.h"

namespace lambda::test {

/// The facts of a machine whose GPUs have these names.
inline CudaFacts withGpus(const std::vector<std::string>& names) {
  CudaFacts facts;
  facts.driver.isOpen = true;
  facts.driver.version = "580.65.06";
  facts.driver.newestCuda = 13000;
  for (const std::string& name : names) facts.driver.gpus.push_back({.name = name});
  facts.torch = {.version = 13000, .failure = {}, .gpus = static_cast<int>(names.size())};
  return facts;
}

}  // namespace lambda::test
