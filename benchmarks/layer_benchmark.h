#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "benchmarks/benchmark_row.h"
#include "benchmarks/core_case.h"

namespace lambda {

/// A layer that keeps the depth of its map: a lambda layer of global scope with relative embeddings
/// and both norms, or the 3x3 convolution in its place.
struct LayerCase {
  int side = 8;    ///< Of the map that enters.
  int depth = 64;  ///< d
  int stride = 1;  ///< 1 or 2: average pooling after a lambda layer.
  int queryDepth = 16;
  int heads = 4;

  CoreCase core() const { return {side, depth, 0, queryDepth, heads}; }

  /// "8x8 d=128 stride 2"
  std::string name() const;
};

/// The mixers of ResNet-50 in the geometry of the published reproduction, and of hybrids behind a
/// CIFAR stem.
std::vector<LayerCase> standardLayerCases();

struct LayerBenchmarkOptions {
  int batch = 128;
  int repetitions = 50;
  double secondsAtMost = 20;  ///< For the turns of one case and pass.
  int threads = 1;
  Precision precision = Precision::float32;  ///< bfloat16 by autocast, weights cast each time.
  std::uint64_t seed = 0;
};

/// Times the lambda layer that the engine trains, in training mode and with all that belongs to it
/// (projections, norms, softmax, core, pooling for a stride), against the 3x3 convolution of the
/// same depth and stride and against the same layer in plain ATen, on the CPU. Turns, sets of
/// tensors and the check against float64 as in runCoreBenchmark(); the check has at least 16
/// images, since a norm over a handful of values has gradients that are rounding alone.
std::vector<BenchmarkRow> runLayerBenchmark(const LayerCase& shape,
                                            const LayerBenchmarkOptions& options);

}  // namespace lambda
