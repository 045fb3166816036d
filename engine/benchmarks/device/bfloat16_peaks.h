#pragma once

#include <vector>

#include "engine/benchmarks/measuring/vector_ceilings.h"

namespace lambda {

/// The peak rate of products in bfloat16 with sums in float32, between registers, in `threads`
/// threads: by the dot products of AVX-512 BF16 and by the matrix unit of AMX, as far as this CPU
/// has them. The best of several rounds; 4 FLOP per pair and sum.
std::vector<InstructionSetPeak> bfloat16Peaks(int threads);

}  // namespace lambda
