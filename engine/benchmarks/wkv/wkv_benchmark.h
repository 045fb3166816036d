#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/benchmarks/benchmark_row.h"
#include "engine/benchmarks/core/core_case.h"
#include "engine/runtime/device.h"

namespace lambda {

/// The wkv of RWKV-4 for sequences of one size.
struct WkvCase {
  std::int64_t length = 512;    ///< n, tokens of a sequence.
  std::int64_t channels = 512;  ///< d

  /// For example "n=512 d=512".
  std::string name() const;
};

/// Bytes of a pass for a batch of sequences: inputs and outputs in float32, once. Decay and bonus
/// are a vanishing part.
double bytesOf(const WkvCase& shape, int batch, CorePass pass);

/// From a small network to the length and width of the smallest published RWKV-4.
std::vector<WkvCase> standardWkvCases();

struct WkvBenchmarkOptions {
  int batch = 8;
  int repetitions = 50;
  double secondsAtMost = 20;  ///< Limit for both forms of one case and pass.
  ComputeDevice device = {};  ///< The CPU.
  std::uint64_t seed = 0;     ///< Seed of LibTorch's generator, which draws the tensors.
};

/// Compares the kernel with a loop over the tokens in plain ATen with its autograd. It times the
/// forward pass without a graph, the backward pass, and both together, in turns and on rotating
/// inputs, as runCoreBenchmark() does. Before, it compares output and gradients of both with
/// float64. Throws Error, and times nothing, for a distance beyond the tolerance or a lack of
/// memory.
std::vector<BenchmarkRow> runWkvBenchmark(const WkvCase& shape, const WkvBenchmarkOptions& options);

}  // namespace lambda
