#pragma once

#include <cstddef>
#include <cstring>

#include <ATen/ATen.h>

namespace lambda {

/// Bytes on the way to a device, uint8. From pinned memory, so that nobody waits for them.
inline at::Tensor sentBytes(const void* data, std::size_t bytes, const at::Device& device) {
  const at::Tensor host = at::empty({static_cast<std::int64_t>(bytes)},
                                    at::TensorOptions(at::kByte).pinned_memory(device.is_cuda()));
  if (bytes > 0) std::memcpy(host.mutable_data_ptr(), data, bytes);
  return host.to(device, at::kByte, /*non_blocking=*/true);
}

}  // namespace lambda
