#pragma once

#include <cstdint>
#include <vector>

#include "benchmarks/benchmark_row.h"
#include "benchmarks/core_case.h"
#include "engine/kernels/lambda_core/core_shape.h"

namespace lambda {

struct CoreBenchmarkOptions {
  int batch = 128;
  int repetitions = 50;
  double secondsAtMost = 20;  ///< For the turns of one case and pass.
  int threads = 1;
  CoreOrder order = CoreOrder::automatic;  ///< Of the fused kernel, where it can be had.
  /// Of queries, keys, values and their gradients, and of all that plain forms compute.
  Precision precision = Precision::float32;
  std::uint64_t seed = 0;  ///< Of the tensors; LibTorch's generator goes on from there.
};

/// Times the fused kernel and the ways to write the core in plain ATen against each other on the
/// CPU: forward alone, without a graph; backward; both. In turn, each time on the
/// next of several sets of tensors that together are larger than the last-level cache; with
/// TensorMemoryReuse for all, as in training.
///
/// Before that, each form's memory: the peak of its first forward and backward pass. And its
/// distance from float64, output and every gradient, with outputs poisoned. Throws Error for a form
/// beyond the tolerance; nothing is timed then.
std::vector<BenchmarkRow> runCoreBenchmark(const CoreCase& shape,
                                           const CoreBenchmarkOptions& options);

}  // namespace lambda
