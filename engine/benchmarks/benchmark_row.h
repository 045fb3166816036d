#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/benchmarks/measuring/timing.h"
#include "engine/kernels/lambda_core/core_shape.h"
#include "engine/values/config/run_config.h"

namespace lambda {

/// One way to compute a case.
struct TimedForm {
  std::string name;
  Timing time;                              ///< On a GPU, of the GPU alone.
  std::optional<double> relativeError;      ///< relativeDistance() from float64.
  std::optional<std::uint64_t> extraBytes;  ///< Memory beyond inputs, outputs and gradients.
  /// On a GPU, the time from the call until the result is complete, with the host's work; none for
  /// a backward pass alone.
  std::optional<Timing> called = {};
};

/// A case, computed in several forms that took turns.
struct BenchmarkRow {
  std::string name;
  int batch = 0;
  int threads = 1;
  Precision precision = Precision::float32;
  std::size_t repetitions = 0;
  std::optional<CoreOrder> order = {};  ///< Order in which the fused core ran; none without it.
  std::string path = {};                ///< Of the engine's form in words, see layer_path.h.
  double flops = 0;              ///< Least FLOPs of a batch, 2 per multiply-add; 0 = not counted.
  double bytes = 0;              ///< Inputs and outputs of a batch, once; 0 = not counted.
  std::vector<TimedForm> forms;  ///< The engine's form comes first.
};

}  // namespace lambda
