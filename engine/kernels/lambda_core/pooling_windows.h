#pragma once

// Means over 3x3 pixels with a stride of 2, and a border of one pixel of zeros that counts: which
// rows of a map belong to which rows of means. Columns are the same.

#include <algorithm>
#include <cstdint>

namespace lambda {

/// Pixels of a mean, those of the border included.
inline constexpr int kPixelsOfMean = 9;

/// Rows of means of a map with `count` rows.
constexpr std::int64_t pooledSide(std::int64_t count) {
  return (count + 1) / 2;
}

/// Successive rows.
struct RowRange {
  std::int64_t first, last;
};

/// The rows, of `count`, that belong to a row of means.
constexpr RowRange rowsOfMean(std::int64_t mean, std::int64_t count) {
  return {std::max<std::int64_t>(2 * mean - 1, 0), std::min(2 * mean + 1, count - 1)};
}

/// The rows of means that a row, of `count`, belongs to.
constexpr RowRange meansOfRow(std::int64_t row, std::int64_t count) {
  return {row / 2, std::min((row + 1) / 2, pooledSide(count) - 1)};
}

}  // namespace lambda
