#pragma once

#include <cstdint>
#include <span>

#include "engine/kernels/parallel_for.h"

namespace lambda {

/// The product C = A B^T [columns] of one row A [depth] and B [columns, depth], as a linear layer
/// makes it for one position.
struct RowProduct {
  std::int64_t depth = 0;
  std::int64_t columns = 0;
  const float* a = nullptr;
  const float* b = nullptr;
  float* c = nullptr;  ///< Output.
};

/// Computes products that do not depend on each other. Each number of B is needed once, so that
/// large matrices take the time in which they come from the memory. The same inputs give the same
/// bits with any number of threads.
void multiplyRows(std::span<const RowProduct> products, const ParallelFor& parallelFor);

}  // namespace lambda
