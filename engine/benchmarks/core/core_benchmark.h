#pragma once

#include <cstdint>
#include <vector>

#include "engine/benchmarks/benchmark_row.h"
#include "engine/benchmarks/core/core_case.h"
#include "engine/kernels/lambda_core/core_shape.h"
#include "engine/runtime/device.h"

namespace lambda {

struct CoreBenchmarkOptions {
  int batch = 128;
  int repetitions = 50;
  double secondsAtMost = 20;  ///< Limit for all forms of one case and pass.
  ComputeDevice device = {};
  CoreOrder order = CoreOrder::automatic;  ///< Order of the fused kernel on the CPU.
  /// Precision of queries, keys, values, their gradients, and all computations of plain forms.
  Precision precision = Precision::float32;
  std::uint64_t seed = 0;  ///< Seed of LibTorch's generator, which draws the tensors.
};

/// Compares the fused kernel with forms of the core in plain ATen. It times the forward pass
/// without a graph, the backward pass, and both together. The forms take turns. Every
/// repetition uses the next of several sets of tensors, which together are larger than the
/// last-level cache. TensorMemoryReuse is active for all forms, as in training.
///
/// Before timing, it measures each form's peak memory in its first forward and backward pass, and
/// the distance of its output and gradients from float64, with poisoned outputs. Throws Error, and
/// times nothing, if the distance of a form exceeds the tolerance, if a GPU can't use the fused
/// kernel, or for a lack of memory.
std::vector<BenchmarkRow> runCoreBenchmark(const CoreCase& shape,
                                           const CoreBenchmarkOptions& options);

}  // namespace lambda
