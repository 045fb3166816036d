#include "engine/benchmarks/measuring/peak_memory.h"

#include <algorithm>

#include <malloc.h>

#include "engine/runtime/process_memory.h"

namespace lambda {

std::optional<std::uint64_t> peakGrowth(const std::function<void()>& work) {
  malloc_trim(0);
  const bool isWatched = restartPeakMemory();
  const std::uint64_t before = processMemory().residentBytes;
  work();
  const std::uint64_t peak = processMemory().peakResidentBytes;
  if (!isWatched || before == 0) return std::nullopt;
  return peak - std::min(peak, before);
}

}  // namespace lambda
