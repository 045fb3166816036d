#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "engine/benchmarks/measuring/timing.h"
#include "engine/values/config/run_config.h"

namespace lambda {

struct NetworkBenchmarkOptions {
  int repetitions = 50;
  double secondsAtMost = 20;  ///< Limit for one network.
};

/// The speed of one network on random images of its own size.
struct NetworkBenchmark {
  std::string name;
  int batch = 0;
  int threads = 1;
  Precision precision = Precision::float32;
  std::string device;
  std::size_t repetitions = 0;
  Timing forward;  ///< A batch in evaluation mode, without gradients.
  Timing step;     ///< A training step: forward and backward pass, measures and update.
  std::optional<std::uint64_t> forwardPeakBytes;  ///< See runStepBenchmark().
  std::optional<std::uint64_t> stepPeakBytes;
};

/// Measures a network as runStepBenchmark() does, but needs no data set: its images are random
/// numbers that are made before timing, and its weights stay as they are. Throws Error for a
/// configuration or a device that can't be trained, and insufficient memory.
NetworkBenchmark runNetworkBenchmark(const RunConfig& config,
                                     const NetworkBenchmarkOptions& options);

}  // namespace lambda
