#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "engine/benchmarks/measuring/timing.h"
#include "engine/values/config/run_config.h"

namespace lambda {

struct EvaluationBenchmarkOptions {
  int repetitions = 50;
  double secondsAtMost = 20;
};

/// Evaluations of a fresh network, as at the end of an epoch and by `lambda evaluate`.
struct EvaluationBenchmark {
  std::int64_t images = 0;  ///< Of one evaluation.
  int batch = 0;
  int threads = 1;
  Precision precision = Precision::float32;
  std::string device;
  bool syntheticData = false;  ///< Random pixels replaced data that could not be found.
  std::size_t repetitions = 0;
  Timing evaluation;  ///< Batches, forward passes and scores of all images.
};

/// Times evaluations of the configuration's sample of training images, with the views of its
/// recipe. Throws Error for a configuration or a device that can't be used, and insufficient
/// memory.
EvaluationBenchmark runEvaluationBenchmark(const RunConfig& config,
                                           const EvaluationBenchmarkOptions& options);

}  // namespace lambda
