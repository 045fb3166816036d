#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace lambda {

struct InstructionSetPeak {
  std::string name;           ///< "AVX2", "AVX3", ... as Highway names them; "AVX-512 BF16"; "AMX".
  double flopsPerSecond = 0;  ///< 2 per multiply-add.
};

/// The peak rate of float32 multiply-adds between registers, in `threads` threads, with each
/// instruction set of the CPU, the widest first. The best of several rounds.
std::vector<InstructionSetPeak> multiplyAddPeaks(int threads);

/// Bytes per second of copying from one block of `bytes` to another, in `threads` threads,
/// bypassing the caches. A byte that is read and written counts twice. The best of several rounds.
/// Throws std::bad_alloc where two such blocks don't fit.
double copyBandwidth(int threads, std::size_t bytes);

/// The size of a copied block at which copyBandwidth() is that of the memory: source and target
/// together are twice as large as the last-level cache, up to a GiB each.
std::size_t copyBytes();

/// Bytes of the last-level cache; 0 if the system does not report it.
std::size_t lastLevelCacheBytes();

}  // namespace lambda
