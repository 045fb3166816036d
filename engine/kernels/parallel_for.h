#pragma once

#include <cstdint>
#include <functional>

namespace lambda {

/// Divides 0..count into parts and calls `work` for each of them, on any number of threads.
using ParallelFor = std::function<void(
    std::int64_t count, const std::function<void(std::int64_t begin, std::int64_t end)>& work)>;

}  // namespace lambda
