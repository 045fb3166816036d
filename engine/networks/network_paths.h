#pragma once

#include <string>
#include <vector>

#include "engine/runtime/device.h"
#include "engine/values/config/run_config.h"

namespace lambda {

/// A layer of a network, and what computes it in a training step.
struct NetworkPath {
  std::string name;       ///< That of the cost table: "stage2.block1.mixer".
  std::string shape;      ///< "convolution 3x3, 64 -> 64, 32x32"
  std::string precision;  ///< "float32"
  std::string path;       ///< "own kernel, AVX-512 bfloat16", "LibTorch (oneDNN)"
  std::string hint;       ///< What would be faster; empty where nothing is known.
};

struct NetworkPaths {
  std::string machine;  ///< The instructions of the CPU, or the GPU and whether it has own kernels.
  std::vector<NetworkPath> layers;
};

/// The paths of the layers that have weights, and of lambda layers, for the batches of the recipe
/// on that device. The precision must not be automatic. Maps keep the recipe's order in memory:
/// where they are channels first, a layer of LibTorch may still turn them for those after it.
NetworkPaths pathsOf(const RunConfig& config, const ComputeDevice& device);

}  // namespace lambda
