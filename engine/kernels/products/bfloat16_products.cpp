#include "engine/kernels/products/bfloat16_products.h"

#include "engine/kernels/products/pair_tiles.h"

#if defined(__x86_64__)

namespace lambda {

bool hasBfloat16Products() {
  return __builtin_cpu_supports("avx512bf16") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vl");
}

LAMBDA_BFLOAT16 void multiplyPairs(std::int64_t rows,
                                   std::int64_t columns,
                                   std::int64_t pairs,
                                   const PairRows& a,
                                   const Bfloat16* b,
                                   bool adds,
                                   float* c,
                                   std::int64_t stride) {
  const PairTerm term{a, b, 2 * columns, pairs};
  if (adds) {
    multiplyPairsTo<6>(rows, columns, SumRows<true>{c, stride}, term);
  } else {
    multiplyPairsTo<6>(rows, columns, SumRows<false>{c, stride}, term);
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
                   std::int64_t) {}

void roundToBfloat16(const float*, std::int64_t, Bfloat16*) {}

void pairRows(const Bfloat16*, const Bfloat16*, std::int64_t, Bfloat16*) {}

}  // namespace lambda

#endif
