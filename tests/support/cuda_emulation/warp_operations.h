#pragma once

#include <cstdint>

namespace lambda::emulation {

// What the lanes of a warp do together, and the conversions that are single instructions.

std::uint32_t shuffleXor(std::uint32_t mask, std::uint32_t bits, int laneMask);

bool anyLane(std::uint32_t mask, bool predicate);

/// mma.sync.m16n8k16 with bfloat16, fragments as the PTX ISA lays them out (9.7.14.5.8). Sums are
/// rounded towards 0, the worst that is known of tensor cores.
void mmaBfloat16(float (&sums)[2][2], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]);

/// mma.sync.m16n8k8 with TF32 (9.7.14.5.7): the low 13 bits of operands are not read.
void mmaTf32(float (&sums)[2][2], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]);

/// To the nearest, halves to even; `low` in the lower half.
std::uint32_t packBfloat16(float low, float high);

}  // namespace lambda::emulation
