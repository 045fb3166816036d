#pragma once

#include <ATen/Parallel.h>

#include "engine/kernels/parallel_for.h"

namespace lambda {

/// A ParallelFor that uses the threads of LibTorch.
inline void onTorchThreads(std::int64_t count,
                           const std::function<void(std::int64_t begin, std::int64_t end)>& work) {
  at::parallel_for(0, count, 1, work);
}

}  // namespace lambda
