#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace lambda {

struct InstructionSetPeak {
  std::string name;           ///< "SSE4", "AVX2", "AVX3", ... in Highway's terms.
  double flopsPerSecond = 0;  ///< 2 a multiply-add.
};

/// What the cores can do at most in float32: multiply-adds between registers alone, in `threads`
/// threads, with each instruction set that the CPU has, the widest first. The best of some rounds.
std::vector<InstructionSetPeak> multiplyAddPeaks(int threads);

/// Bytes a second of copying from one block of `bytes` to another, in `threads` threads, past the
/// caches; a byte that is read and written counts twice. The best of some rounds.
double copyBandwidth(int threads, std::size_t bytes);

/// Bytes of the last-level cache; 0 where the system does not tell.
std::size_t lastLevelCacheBytes();

}  // namespace lambda
