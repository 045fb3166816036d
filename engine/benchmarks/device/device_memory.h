#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include <c10/core/Device.h>

namespace lambda {

/// The size of the cache that may keep tensors of a device: on a GPU more than any has.
std::size_t cacheBytesOf(const c10::Device& device);

/// The greatest growth, in bytes, of the memory that `work` needs on a device: on the CPU
/// peakGrowth() of the process, on a GPU what LibTorch's tensors and workspaces there had beyond
/// what they had before.
std::optional<std::uint64_t> peakGrowthOn(const c10::Device& device,
                                          const std::function<void()>& work);

/// Overwrites the unused memory of a GPU, so that tensors which are then made there without values
/// are NaN. Memory beside small tensors that are in use is left as it is.
void poisonUnusedMemory(const c10::Device& device);

}  // namespace lambda
