#include "engine/benchmarks/measuring/vector_ceilings.h"

#include <algorithm>
#include <cstdint>
#include <new>
#include <unistd.h>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/benchmarks/measuring/vector_ceilings.cpp"
#include <hwy/aligned_allocator.h>
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "engine/benchmarks/measuring/thread_timing.h"

HWY_BEFORE_NAMESPACE();

namespace lambda {
namespace HWY_NAMESPACE {

namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// Enough to hide the latency of a multiply-add on two ports, and few enough for 16 registers.
constexpr int kChains = 12;

}  // namespace

/// Multiplies and adds in independent chains and returns the number of operations. `sink` keeps the
/// compiler from removing them.
double multiplyAdd(std::int64_t iterations, float* sink) {
  const hn::ScalableTag<float> d;
  // x <- x a + b: the product depends on x, so it can't be moved out of the loop on an instruction
  // set without fused multiply-add.
  const auto a = hn::Set(d, 0.999F), b = hn::Set(d, 0.001F);
  hn::Vec<decltype(d)> chains[kChains];
#pragma GCC unroll 16
  for (int i = 0; i < kChains; ++i) chains[i] = hn::Set(d, static_cast<float>(i));
  for (std::int64_t iteration = 0; iteration < iterations; ++iteration) {
#pragma GCC unroll 16
    for (int i = 0; i < kChains; ++i) chains[i] = hn::MulAdd(chains[i], a, b);
  }
  auto sum = chains[0];
  for (int i = 1; i < kChains; ++i) sum = hn::Add(sum, chains[i]);
  *sink = hn::GetLane(hn::SumOfLanes(d, sum));
  return 2.0 * kChains * static_cast<double>(hn::Lanes(d)) * static_cast<double>(iterations);
}

/// Copies whole vectors without first reading the target's cache lines. Both blocks are aligned.
void streamCopy(const float* from, std::size_t count, float* to) {
  const hn::ScalableTag<float> d;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d))
    hn::Stream(hn::Load(d, from + i), d, to + i);
  hwy::FlushStream();
}

}  // namespace HWY_NAMESPACE
}  // namespace lambda

HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lambda {

namespace {

HWY_EXPORT(multiplyAdd);
HWY_EXPORT(streamCopy);

constexpr int kRounds = 10;
constexpr int kCopies = 5;
constexpr std::int64_t kIterations = 1'000'000;
constexpr std::size_t kAlignedFloats = 64;

/// Bytes of a copied block if the system does not report the size of the last-level cache.
constexpr std::size_t kCopyBytes = std::size_t{256} << 20;
constexpr std::size_t kMostCopyBytes = std::size_t{1} << 30;

/// While it lives, Highway uses one instruction set only.
class OneInstructionSet {
 public:
  explicit OneInstructionSet(std::int64_t target) { choose(target); }

  ~OneInstructionSet() { choose(0); }

  OneInstructionSet(const OneInstructionSet&) = delete;
  OneInstructionSet& operator=(const OneInstructionSet&) = delete;

 private:
  static void choose(std::int64_t targets) {
    hwy::SetSupportedTargetsForTest(targets);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
};

}  // namespace

std::vector<InstructionSetPeak> multiplyAddPeaks(int threads) {
  std::vector<InstructionSetPeak> peaks;
  std::vector<float> sinks(static_cast<std::size_t>(threads));
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    const OneInstructionSet only(target);
    const double rate = bestRate(kRounds, threads, [&](int thread) {
      return HWY_DYNAMIC_DISPATCH(multiplyAdd)(kIterations,
                                               &sinks[static_cast<std::size_t>(thread)]);
    });
    peaks.push_back({hwy::TargetName(target), rate});
  }
  return peaks;
}

double copyBandwidth(int threads, std::size_t bytes) {
  const std::size_t share =
      std::max<std::size_t>(
          1, bytes / sizeof(float) / static_cast<std::size_t>(threads) / kAlignedFloats) *
      kAlignedFloats;
  const std::size_t count = share * static_cast<std::size_t>(threads);
  const auto from = hwy::AllocateAligned<float>(count), to = hwy::AllocateAligned<float>(count);
  if (!from || !to) throw std::bad_alloc();
  // The system places a page in the memory of the core whose thread first writes it.
  secondsInThreads(threads, [&](int thread) {
    std::fill_n(from.get() + static_cast<std::size_t>(thread) * share, share, 1.0F);
    std::fill_n(to.get() + static_cast<std::size_t>(thread) * share, share, 0.0F);
  });
  return bestRate(kCopies, threads, [&](int thread) {
    const std::size_t first = static_cast<std::size_t>(thread) * share;
    HWY_DYNAMIC_DISPATCH(streamCopy)(from.get() + first, share, to.get() + first);
    return 2.0 * static_cast<double>(share * sizeof(float));
  });
}

std::size_t copyBytes() {
  const std::size_t cache = lastLevelCacheBytes();
  return cache == 0 ? kCopyBytes : std::min(cache, kMostCopyBytes);
}

std::size_t lastLevelCacheBytes() {
  for (const int level : {_SC_LEVEL3_CACHE_SIZE, _SC_LEVEL2_CACHE_SIZE}) {
    const long bytes = sysconf(level);
    if (bytes > 0) return static_cast<std::size_t>(bytes);
  }
  return 0;
}

}  // namespace lambda
#endif
