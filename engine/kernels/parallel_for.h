#pragma once

#include <cstdint>
#include <functional>

namespace lambda {

/// Calls `work` for parts of 0..count that together are all of it, on as many threads as it likes.
using ParallelFor = std::function<void(
    std::int64_t count, const std::function<void(std::int64_t begin, std::int64_t end)>& work)>;

}  // namespace lambda
