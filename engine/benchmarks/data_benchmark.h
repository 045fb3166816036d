#pragma once

#include "engine/benchmarks/benchmark_row.h"

namespace lambda {

struct DataBenchmarkOptions {
  int repetitions = 50;
  double secondsAtMost = 20;
};

struct DataBenchmark {
  BenchmarkRow row;            ///< Making a batch, compared with ATen image by image.
  bool syntheticData = false;  ///< Random pixels replaced data that could not be found.
  Timing step;                 ///< A training step, including making the batch.
};

/// Times making training batches, from stored images to the network's input on its device: order,
/// shift, flip, cutout, normalisation, memory format. It is compared with LibTorch's operations
/// image by image on the CPU, as in Python pipelines, and the copy to a GPU; a check first shows
/// that both give the same batch. Also times training steps of the configuration, of which making
/// the batch is a part. Throws Error as runStepBenchmark().
DataBenchmark runDataBenchmark(const RunConfig& config, const DataBenchmarkOptions& options);

}  // namespace lambda
