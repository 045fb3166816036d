#include "engine/kernels/products/bfloat16_products.h"

#include <algorithm>

#include "engine/kernels/products/amx_products.h"

#if defined(__x86_64__)

#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include <cpuid.h>

namespace lambda {

namespace {

bool hasVectors() {
  return __builtin_cpu_supports("avx512bf16") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vl");
}

/// Linux gives the memory for tiles only to programs that ask for it. Other systems are not asked.
bool asksForTiles() {
#if defined(__linux__)
  constexpr long kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr long kTileData = 18;               // XFEATURE_XTILEDATA
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
#else
  return false;
#endif
}

bool hasMatrices() {
  constexpr unsigned kAmxBfloat16 = 1U << 22U, kAmxTile = 1U << 24U;
  unsigned a = 0, b = 0, c = 0, d = 0;
  const bool isKnown = __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0;
  // Operands are rounded by AVX-512 BF16.
  return isKnown && (d & kAmxBfloat16) != 0 && (d & kAmxTile) != 0 && hasVectors() &&
         asksForTiles();
}

}  // namespace

bool hasPairUnit(PairUnit unit) {
  static const bool vectors = hasVectors(), matrices = hasMatrices();
  return unit == PairUnit::vectors ? vectors : matrices;
}

std::optional<PairUnit> fastestPairUnit() {
  if (hasPairUnit(PairUnit::matrices)) return PairUnit::matrices;
  if (hasPairUnit(PairUnit::vectors) && __builtin_cpu_is("amd")) return PairUnit::vectors;
  return std::nullopt;
}

bool hasBfloat16Products() {
  return fastestPairUnit().has_value();
}

namespace {

LAMBDA_BFLOAT16 void multiplyByVectors(std::int64_t rows,
                                       std::int64_t columns,
                                       bool adds,
                                       const PairSums& c,
                                       const PairTerm<PairRows>& term) {
  sumPairs<6>(adds, rows, columns, c, term);
}

/// As sumAmx() for an A whose rows lie one after another. Tiles of A are transposed, a few at a
/// time.
LAMBDA_AMX void multiplyTransposed(std::int64_t rows,
                                   std::int64_t columns,
                                   bool adds,
                                   const PairSums& c,
                                   const PairTerm<PairRows>& term) {
  constexpr std::int64_t kPairs = 4 * kAmxPairs;
  alignas(64) Bfloat16 transposed[kAmxRows * 2 * kPairs];
  for (std::int64_t row = 0; row < rows; row += kAmxRows) {
    for (std::int64_t pair = 0; pair < term.pairs; pair += kPairs) {
      const std::int64_t count = std::min(kPairs, term.pairs - pair);
      transposeAll(term.a.base + row * term.a.rowStride + pair * term.a.pairStride,
                   term.a.pairStride / 2,
                   count,
                   kAmxRows,
                   transposed,
                   kPairs);
      sumAmx(adds || pair > 0,
             kAmxRows,
             columns,
             {c.base + row * c.stride, c.stride},
             AmxTerm{transposed, 2 * kPairs, term.b + pair * term.stride, term.stride, count});
    }
  }
}

/// Tiles of 16 rows and 8 pairs are multiplied by AMX, what is left by vectors.
LAMBDA_AMX void multiplyByTiles(std::int64_t rows,
                                std::int64_t columns,
                                bool adds,
                                const PairSums& c,
                                const PairTerm<PairRows>& term) {
  if (term.pairs == 0) return multiplyByVectors(rows, columns, adds, c, term);
  // Pairs of A as rows are transposed 16 at a time.
  const bool isTransposed = term.a.pairStride != 2;
  const std::int64_t unit = isTransposed ? kAmxPairs : kAmxPairs / 2;
  const std::int64_t tileRows = rows / kAmxRows * kAmxRows, tilePairs = term.pairs / unit * unit;
  if (tileRows > 0 && tilePairs > 0) {
    const AmxScope scope;
    if (isTransposed) {
      multiplyTransposed(tileRows, columns, adds, c, {term.a, term.b, term.stride, tilePairs});
    } else {
      sumAmx(adds,
             tileRows,
             columns,
             c,
             AmxTerm{term.a.base, term.a.rowStride, term.b, term.stride, tilePairs});
    }
  }
  if (tileRows > 0 && (tilePairs < term.pairs || tilePairs == 0)) {
    PairTerm<PairRows> rest{term.a, term.b, term.stride, term.pairs - tilePairs};
    rest.a.base += tilePairs * term.a.pairStride;
    rest.b += tilePairs * term.stride;
    multiplyByVectors(tileRows, columns, adds || tilePairs > 0, c, rest);
  }
  if (tileRows < rows) {
    PairTerm<PairRows> rest = term;
    rest.a.base += tileRows * term.a.rowStride;
    multiplyByVectors(
        rows - tileRows, columns, adds, {c.base + tileRows * c.stride, c.stride}, rest);
  }
}

}  // namespace

void multiplyPairs(std::int64_t rows,
                   std::int64_t columns,
                   std::int64_t pairs,
                   const PairRows& a,
                   const Bfloat16* b,
                   bool adds,
                   float* c,
                   std::int64_t stride,
                   PairUnit unit) {
  const PairTerm<PairRows> term{a, b, 2 * columns, pairs};
  if (unit == PairUnit::matrices) {
    multiplyByTiles(rows, columns, adds, {c, stride}, term);
  } else {
    multiplyByVectors(rows, columns, adds, {c, stride}, term);
  }
}

LAMBDA_BFLOAT16 void roundToBfloat16(const float* from, std::int64_t count, Bfloat16* to) {
  roundRun(from, count, to);
}

LAMBDA_BFLOAT16 void pairRows(const Bfloat16* first,
                              const Bfloat16* second,
                              std::int64_t count,
                              Bfloat16* to) {
  pairRun(first, second, count, to);
}

}  // namespace lambda

#else

namespace lambda {

bool hasPairUnit(PairUnit) {
  return false;
}

std::optional<PairUnit> fastestPairUnit() {
  return std::nullopt;
}

bool hasBfloat16Products() {
  return false;
}

void multiplyPairs(std::int64_t,
                   std::int64_t,
                   std::int64_t,
                   const PairRows&,
                   const Bfloat16*,
                   bool,
                   float*,
                   std::int64_t,
                   PairUnit) {}

void roundToBfloat16(const float*, std::int64_t, Bfloat16*) {}

void pairRows(const Bfloat16*, const Bfloat16*, std::int64_t, Bfloat16*) {}

}  // namespace lambda

#endif
