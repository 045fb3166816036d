#pragma once

#include <string>

#include "engine/runtime/device.h"

namespace lambda {

/// What there is to say of the CUDA kernels on a device, for people: that they are used, or why
/// not. Opens the plugin if the device is a GPU.
std::string cudaKernelsState(const ComputeDevice& device);

}  // namespace lambda
