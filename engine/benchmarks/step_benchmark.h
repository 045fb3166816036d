#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/benchmarks/measuring/timing.h"
#include "engine/networks/network_paths.h"
#include "engine/training/step/work_counts.h"
#include "engine/values/config/run_config.h"

namespace lambda {

struct StepBenchmarkOptions {
  int repetitions = 50;
  double secondsAtMost = 60;  ///< Limit for all networks together.
  bool withTwin = true;       ///< Also time the convolution twin of a lambda network.
};

/// The parts of a step. `data` is making the batch, `measures` are loss and accuracy, and `update`
/// includes the norm of the gradients.
struct StepParts {
  Timing data;
  Timing forward;
  Timing backward;
  Timing measures;
  Timing update;
};

/// Consecutive steps as in a run on a GPU: the next step is queued while the GPU computes the
/// previous one. In seconds per step.
struct PipelinedSteps {
  Timing step;
  Timing host;                         ///< The part in which the host made batches and queued work.
  std::optional<WorkCounts> launches;  ///< Of the CUDA graph; none if steps were queued anew.
};

/// Training steps of one network.
struct NetworkSteps {
  std::string name;
  std::int64_t parameters = 0;
  /// FLOPs of a step without making the batch: three forward passes of the cost model, in which
  /// convolutions count as direct sums.
  double flops = 0;
  Timing step;  ///< Including making the batch.
  Timing withoutData;
  StepParts parts;
  std::optional<PipelinedSteps> inARun;    ///< None on the CPU, where steps don't overlap.
  std::optional<std::uint64_t> peakBytes;  ///< See runStepBenchmark().
  double firstLoss = 0;
  double lastLoss = 0;
  std::vector<NetworkPath> paths;  ///< What computed its layers.
};

struct StepBenchmark {
  int batch = 0;
  int threads = 1;
  Precision precision = Precision::float32;
  std::string device;
  bool syntheticData = false;  ///< Random pixels replaced data that could not be found.
  std::size_t repetitions = 0;
  std::vector<NetworkSteps> networks;  ///< The configured network, then its twin, if it has one.
};

/// The network with every mixer replaced by a 3x3 convolution; none if it has convolutions only.
std::optional<Architecture> convolutionTwin(const Architecture& architecture);

/// Times training steps of a configuration as the trainer runs them: batch, forward pass, loss,
/// backward pass, accuracy and norm of the gradients, optimiser, average. They take turns with
/// those of the twin. On a GPU every part ends with a synchronisation; in addition, overlapping
/// steps as in a run take turns with these.
///
/// Before timing, it measures each network's peak memory over five steps, one network at a time: on
/// the CPU the growth of the process, on a GPU that of the memory of LibTorch's tensors and
/// workspaces; both include network, optimiser and batch, but not the data set. Throws Error for a
/// configuration or a device that can't be trained, insufficient memory, and a loss or gradient
/// that is not finite.
StepBenchmark runStepBenchmark(const RunConfig& config, const StepBenchmarkOptions& options);

/// Trains `steps` steps and writes a safetensors file with everything needed to repeat them in
/// another program. Its tensors are the weights before the first step, named as in a checkpoint,
/// and, for step i, "batch.i.images" [b, c, h, w] and "batch.i.labels". Its metadata are the
/// configuration ("config") and, as JSON lists, each step's "losses" and "learningRates". Throws
/// Error.
void recordSteps(const RunConfig& config, int steps, const std::filesystem::path& path);

}  // namespace lambda
