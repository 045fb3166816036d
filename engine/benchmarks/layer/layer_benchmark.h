#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/benchmarks/benchmark_row.h"
#include "engine/benchmarks/core/core_case.h"
#include "engine/runtime/device.h"

namespace lambda {

/// A layer that keeps the depth of its map: a lambda layer of global scope with relative embeddings
/// and both norms, or the 3x3 convolution in its place.
struct LayerCase {
  int side = 8;    ///< Side of the input map.
  int depth = 64;  ///< d
  int stride = 1;  ///< 1 or 2, by average pooling after a lambda layer.
  int queryDepth = 16;
  int heads = 4;

  CoreCase core() const { return {side, depth, 0, queryDepth, heads}; }

  /// For example "8x8 d=128 stride 2".
  std::string name() const;
};

/// The mixers of ResNet-50 in the geometry of the published reproduction, and of hybrid networks
/// with a CIFAR stem.
std::vector<LayerCase> standardLayerCases();

struct LayerBenchmarkOptions {
  int batch = 128;
  int repetitions = 50;
  double secondsAtMost = 20;  ///< Limit for all forms of one case and pass.
  ComputeDevice device = {};
  Precision precision = Precision::float32;  ///< bfloat16 by autocast, weights cast each time.
  std::uint64_t seed = 0;
};

/// The least cost of a pass for a batch: the core's FLOPs, which are fewer where a stride averages
/// outputs, and those of the projections; the bytes of the maps before and after the layer. See
/// CoreCost.
CoreCost costOf(const LayerCase& shape, int batch, CorePass pass, Precision precision);

/// Times the engine's whole lambda layer in training mode (projections, norms, softmax, core,
/// pooling for a stride). It is compared with the 3x3 convolution of the same depth and
/// stride, with the same layer in plain ATen, and with self-attention, local, axial and linear
/// attention of eight heads in its place. Turns, sets of tensors and the check against
/// float64 are as in runCoreBenchmark(). The check uses so many images that each norm is over at
/// least 256 values, because gradients of a norm over a few values are mostly rounding errors. On a
/// GPU, the check forbids TF32, which LibTorch allows for convolutions and the timed calls may use.
std::vector<BenchmarkRow> runLayerBenchmark(const LayerCase& shape,
                                            const LayerBenchmarkOptions& options);

}  // namespace lambda
