#include "engine/benchmarks/device/device_memory.h"

#include <algorithm>
#include <vector>

#include <ATen/ATen.h>
#include <c10/core/CachingDeviceAllocator.h>

#include "engine/benchmarks/measuring/peak_memory.h"
#include "engine/benchmarks/measuring/vector_ceilings.h"

namespace lambda {

namespace {

/// LibTorch keeps tensors up to this size apart from larger ones.
constexpr std::int64_t kSmallBytes = std::int64_t{1} << 20;

constexpr int kSmallBlocks = 64;

/// Share of a GPU's free memory that is overwritten.
constexpr std::size_t kPoisonedPart = 2;

/// A byte of which four are NaN in float32, and two in bfloat16.
constexpr int kPoison = 0xFF;

}  // namespace

std::size_t cacheBytesOf(const c10::Device& device) {
  constexpr std::size_t kMostOfCpu = std::size_t{1} << 30;
  constexpr std::size_t kOfGpu = std::size_t{256} << 20;
  return device.is_cuda() ? kOfGpu : std::min(lastLevelCacheBytes(), kMostOfCpu);
}

std::optional<std::uint64_t> peakGrowthOn(const c10::Device& device,
                                          const std::function<void()>& work) {
  if (device.is_cpu()) return peakGrowth(work);
  c10::DeviceAllocator& allocator = *c10::getDeviceAllocator(device.type());
  const auto allocated = [&] {
    constexpr auto kAll = static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE);
    return allocator.getDeviceStats(device.index()).allocated_bytes[kAll];
  };
  allocator.resetPeakStats(device.index());
  const std::int64_t before = allocated().current;
  work();
  return static_cast<std::uint64_t>(allocated().peak - before);
}

void poisonUnusedMemory(const c10::Device& device) {
  c10::DeviceAllocator& allocator = *c10::getDeviceAllocator(device.type());
  allocator.emptyCache();
  const std::size_t unused = allocator.getMemoryInfo(device.index()).first;
  const at::TensorOptions bytes = at::TensorOptions(at::kByte).device(device);
  std::vector<at::Tensor> poisoned{
      at::full({static_cast<std::int64_t>(unused / kPoisonedPart)}, kPoison, bytes)};
  for (int i = 0; i < kSmallBlocks; ++i)
    poisoned.push_back(at::full({kSmallBytes}, kPoison, bytes));
}

}  // namespace lambda
