#pragma once

// The plain sum of a product of matrices. Every kernel of this folder computes the same.

#include <cstddef>
#include <cstdint>

namespace lambda {

/// Calls `work(a, b, c)` for all terms of C = A B^T from A [rows, depth] and B [columns, depth],
/// with the places of the three numbers in memory: c is the sum of a times b.
template <class Work>
void forTerms(std::int64_t rows, std::int64_t depth, std::int64_t columns, const Work& work) {
  const auto k = static_cast<std::size_t>(depth), n = static_cast<std::size_t>(columns);
  for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
    for (std::size_t column = 0; column < n; ++column) {
      for (std::size_t i = 0; i < k; ++i) work(row * k + i, column * k + i, row * n + column);
    }
  }
}

}  // namespace lambda
