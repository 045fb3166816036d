#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace lambda {

/// By how many bytes the memory of this process that lies in RAM grows at most while `work` runs:
/// tensors, scratch memory and stacks, whoever allocated them, in whole pages and to a few hundred
/// kB, as the kernel counts. What the allocator holds but does not use is given back to the system
/// first; memory that libraries kept from earlier work is not counted. None where the system does
/// not tell.
std::optional<std::uint64_t> peakGrowth(const std::function<void()>& work);

}  // namespace lambda
