#pragma once

#include <string>

#include "engine/runtime/device.h"

namespace lambda {

/// A text for people on the CUDA kernels of a device: that they are used, or why not. Opens the
/// plugin if the device is a GPU.
std::string cudaKernelsState(const ComputeDevice& device);

}  // namespace lambda
