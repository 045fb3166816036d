#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/timing.h"
#include "engine/kernels/lambda_core/core_shape.h"
#include "engine/values/run_config.h"

namespace lambda {

/// One way to compute a case.
struct TimedForm {
  std::string name;
  Timing time;
  std::optional<double> relativeError;      ///< From float64, as relativeDistance() tells it.
  std::optional<std::uint64_t> extraBytes;  ///< Memory beyond inputs, outputs and gradients.
};

/// A case, computed in several ways that took turns.
struct BenchmarkRow {
  std::string name;
  int batch = 0;
  int threads = 1;
  Precision precision = Precision::float32;
  std::size_t repetitions = 0;
  std::optional<CoreOrder> order = {};  ///< Of the fused core, as it ran; none without one.
  double flops = 0;  ///< The algebra's least, 2 a multiply-add, for the batch; 0 = not counted.
  double bytes = 0;  ///< Inputs and outputs once, for the batch; 0 = not counted.
  std::vector<TimedForm> forms;  ///< Ours first.
};

}  // namespace lambda
