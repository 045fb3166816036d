#pragma once

#include <algorithm>
#include <vector>

#include "engine/benchmarks/vector_ceilings.h"

namespace lambda {

/// The measured peak rates of this machine with a number of threads.
struct MachineCeilings {
  int threads = 1;
  std::vector<InstructionSetPeak> multiplyAdd;  ///< In float32.
  double gemmFloat32 = 0;    ///< FLOP/s of LibTorch's product of two square matrices.
  double gemmBfloat16 = 0;   ///< The same in bfloat16.
  double copyBandwidth = 0;  ///< Bytes/s, read and written bytes together.

  /// FLOP/s of float32 multiply-adds with the best instruction set.
  double multiplyAddPeak() const {
    double most = 0;
    for (const InstructionSetPeak& each : multiplyAdd) most = std::max(most, each.flopsPerSecond);
    return most;
  }
};

/// Measures the ceilings in a second or two. LibTorch keeps `threads` threads afterwards.
MachineCeilings measureCeilings(int threads);

}  // namespace lambda
