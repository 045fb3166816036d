#pragma once

#include <vector>

#include "engine/values/images/array.h"

namespace lambda::test {

/// The strongest spatial modes of tiles: tile_i ~ sum_p strength_p loading_pi pattern_p, the
/// singular value decomposition with the tiles as rows, by Jacobi rotations.
struct JacobiPatterns {
  Array patterns;  ///< [count, rows, columns], each of 2-norm 1, the greatest entry > 0.
  std::vector<float> strength;  ///< [count], singular values in descending order.
  std::vector<float> share;     ///< [count], shares of the squared norm of all tiles.
  Array loadings;               ///< [count, tiles], each row of 2-norm 1.

  bool operator==(const JacobiPatterns&) const = default;
};

/// The `count` strongest patterns of an array [..., rows, columns]; fewer where the tiles have a
/// smaller rank. Empty where the array is empty or holds a value that is not finite.
JacobiPatterns jacobiPatterns(const Array& tiles, int count);

}  // namespace lambda::test
