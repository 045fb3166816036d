#pragma once

#include <array>

#include "engine/kernels/products/bfloat16_products.h"

namespace lambda::test {

inline constexpr std::array kPairUnits{PairUnit::vectors, PairUnit::matrices};

inline constexpr const char* kNoPairUnit = "This CPU does not have these products in bfloat16.";

constexpr const char* nameOf(PairUnit unit) {
  return unit == PairUnit::vectors ? "AVX-512 BF16" : "AMX";
}

}  // namespace lambda::test
