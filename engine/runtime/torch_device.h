#pragma once

#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/core/Device.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include "engine/runtime/device.h"

namespace lambda {

/// The torch device of a ComputeDevice.
inline at::Device torchDevice(const ComputeDevice& device) {
  return device.kind == DeviceKind::cuda
             ? at::Device(at::kCUDA, static_cast<c10::DeviceIndex>(device.index))
             : at::Device(at::kCPU);
}

/// Makes a GPU the one of the calling thread, for all that LibTorch does there without a tensor: so
/// nothing of a run takes memory of another GPU. Does nothing for a CPU.
inline void useGpu(const at::Device& device) {
  if (device.is_cuda()) c10::impl::getDeviceGuardImpl(device.type())->setDevice(device);
}

/// Waits until the device has finished all work. Does nothing on a CPU.
inline void synchronize(const at::Device& device) {
  if (device.is_cuda()) at::detail::getCUDAHooks().deviceSynchronize(device.index());
}

}  // namespace lambda
