#pragma once

#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/core/Device.h>

#include "engine/runtime/device.h"

namespace lambda {

/// The torch device of a ComputeDevice.
inline at::Device torchDevice(const ComputeDevice& device) {
  return device.kind == DeviceKind::cuda ? at::Device(at::kCUDA, 0) : at::Device(at::kCPU);
}

/// Waits until the device has finished all work. Does nothing on a CPU.
inline void synchronize(const at::Device& device) {
  if (device.is_cuda()) at::detail::getCUDAHooks().deviceSynchronize(device.index());
}

}  // namespace lambda
