#pragma once

#include <cstddef>
#include <cstring>

#include <ATen/ATen.h>

namespace lambda {

/// Copies bytes to a uint8 tensor of that size, from pinned memory, so that nothing waits for it.
inline void sendBytes(const void* data, std::size_t bytes, const at::Tensor& target) {
  const at::Tensor host =
      at::empty({static_cast<std::int64_t>(bytes)},
                at::TensorOptions(at::kByte).pinned_memory(target.device().is_cuda()));
  if (bytes > 0) std::memcpy(host.mutable_data_ptr(), data, bytes);
  target.copy_(host, /*non_blocking=*/true);
}

/// Copies bytes to a new uint8 tensor on the device, without waiting.
inline at::Tensor sentBytes(const void* data, std::size_t bytes, const at::Device& device) {
  at::Tensor target =
      at::empty({static_cast<std::int64_t>(bytes)}, at::TensorOptions(device).dtype(at::kByte));
  sendBytes(data, bytes, target);
  return target;
}

}  // namespace lambda
