#pragma once

#include <cstdint>
#include <optional>

#include "engine/kernels/element.h"

namespace lambda {

// Products of matrices in bfloat16 with sums in float32, C = A B or C += A B, by the dot products
// of AVX-512 BF16 or the matrix unit of AMX. Both multiply pairs of values of successive depths. So
// B has the two values of a pair side by side, [pairs, columns, 2].

/// A [rows, pairs, 2]. The pairs of a row lie one after another, or the rows of a pair do: one of
/// the strides, which are in values, is 2.
struct PairRows {
  const Bfloat16* base = nullptr;
  std::int64_t rowStride = 0;
  std::int64_t pairStride = 2;
};

/// Vectors are of this number of columns.
inline constexpr std::int64_t kPairColumns = 16;

/// What multiplies in bfloat16 on a CPU.
enum class PairUnit {
  vectors,  ///< The dot products of AVX-512 BF16.
  matrices  ///< The matrix unit of AMX (amx_products.h).
};

/// Whether this CPU has the unit, and the operating system permits it. For AMX the first call asks
/// the system for that: without it, the process is ended at the first use.
bool hasPairUnit(PairUnit unit);

/// The unit with which products in bfloat16 are faster than in float32; none on most CPUs. A dot
/// product takes as long as a multiply-add of float32 on those of AMD, with twice the work, and
/// four times as long on those of Intel.
std::optional<PairUnit> fastestPairUnit();

/// Whether there is such a unit.
bool hasBfloat16Products();

/// C [rows, columns] = A B, added to C if `adds`. B is dense; columns are a multiple of
/// kPairColumns. hasPairUnit() must have said that the unit can be used.
void multiplyPairs(std::int64_t rows,
                   std::int64_t columns,
                   std::int64_t pairs,
                   const PairRows& a,
                   const Bfloat16* b,
                   bool adds,
                   float* c,
                   std::int64_t stride,
                   PairUnit unit);

/// Rounds to the nearest bfloat16, ties to even; `count` is a multiple of kPairColumns.
void roundToBfloat16(const float* from, std::int64_t count, Bfloat16* to);

/// Pairs of the values of two rows, `count` of each, a multiple of kPairColumns. The second is
/// zeros if it is null.
void pairRows(const Bfloat16* first, const Bfloat16* second, std::int64_t count, Bfloat16* to);

}  // namespace lambda
