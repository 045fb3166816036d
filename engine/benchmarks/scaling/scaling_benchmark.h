#pragma once

#include <cstdint>
#include <string>

#include "engine/benchmarks/scaling/scaling_model.h"
#include "engine/values/config/run_config.h"

namespace lambda {

struct ScalingBenchmarkOptions {
  int repetitions = 20;
  double secondsAtMost = 20;
};

/// The steps of one process on a whole batch, with its gradients in the buckets in which many
/// processes send them.
struct ScalingBenchmark {
  std::string name;
  std::int64_t parameters = 0;
  int batch = 0;
  int threads = 1;
  Precision precision = Precision::float32;
  bool syntheticData = false;
  int repetitions = 0;
  RankStep step;  ///< Medians over the repetitions.

  std::int64_t gradientBytes() const;
};

/// Throws Error where this program can't have many processes, and as requireTrainable().
ScalingBenchmark runScalingBenchmark(const RunConfig& config,
                                     const ScalingBenchmarkOptions& options);

}  // namespace lambda
