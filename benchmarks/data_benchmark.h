#pragma once

#include "benchmarks/benchmark_row.h"

namespace lambda {

struct DataBenchmarkOptions {
  int repetitions = 50;
  double secondsAtMost = 20;
};

struct DataBenchmark {
  BenchmarkRow row;            ///< A batch, against the same by ATen, image by image.
  bool syntheticData = false;  ///< Random pixels stood in for data that could not be found.
  Timing step;                 ///< A training step, the batch included.
};

/// Times the making of training batches alone, from stored images to the network's input: order,
/// shift, flip, cutout, normalisation, memory format. Against it the same with LibTorch's
/// operations, image by image, as Python pipelines do it; both give the same batch, which is
/// checked first. And training steps of the configuration, of which the making is a share.
/// On the CPU. Throws Error as runStepBenchmark().
DataBenchmark runDataBenchmark(const RunConfig& config, const DataBenchmarkOptions& options);

}  // namespace lambda
