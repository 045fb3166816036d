#pragma once

#include <cstdint>

namespace lambda::emulation {

// The operations of a whole warp, and conversions that are single instructions on a GPU.

std::uint32_t shuffleXor(std::uint32_t mask, std::uint32_t bits, int laneMask);

bool anyLane(std::uint32_t mask, bool predicate);

/// mma.sync.m16n8k16 with bfloat16; fragments have the layout of the PTX ISA (9.7.14.5.8). Sums are
/// rounded towards 0, the worst rounding that is known of tensor cores.
void mmaBfloat16(float (&sums)[2][2], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]);

/// mma.sync.m16n8k8 with TF32 (9.7.14.5.7): the low 13 bits of operands are not read.
void mmaTf32(float (&sums)[2][2], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]);

/// Rounds both to the nearest bfloat16, ties to even; `low` is in the lower 16 bits.
std::uint32_t packBfloat16(float low, float high);

}  // namespace lambda::emulation
