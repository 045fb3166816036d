#pragma once

#include <c10/core/Device.h>
#include <c10/core/Stream.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <c10/util/Exception.h>

#include "engine/kernels/cuda/cuda_kernels.h"

namespace lambda {

/// LibTorch's current stream of this thread, found without linking libtorch_cuda. Kernels that
/// tests run on the CPU need none.
inline CudaQueue queueOf(const c10::Device& device) {
  if (device.is_cpu()) return {};
  const c10::Stream stream = c10::impl::getDeviceGuardImpl(device.type())->getStream(device);
  return {device.index(), stream.native_handle()};
}

/// Throws c10::Error with CUDA's message if a call failed. `what`: the operation, for the message.
inline void requireSuccess(const char* what, const CudaOutcome& outcome) {
  TORCH_CHECK(outcome.code == 0, what, " on CUDA: ", outcome.text);
}

}  // namespace lambda
