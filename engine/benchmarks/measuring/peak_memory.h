#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace lambda {

/// The greatest growth, in bytes, of the resident memory of this process while `work` runs. It
/// covers tensors, scratch memory and stacks of all libraries, in whole pages, with the kernel's
/// accuracy of a few hundred kB. Unused memory of the allocator is returned to the system first;
/// memory that libraries kept from earlier work is not counted. None if the system does not report
/// it.
std::optional<std::uint64_t> peakGrowth(const std::function<void()>& work);

}  // namespace lambda
