#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/timing.h"
#include "engine/values/run_config.h"

namespace lambda {

struct StepBenchmarkOptions {
  int repetitions = 50;
  double secondsAtMost = 60;  ///< For the turns of all networks together.
  bool withTwin = true;       ///< Beside a lambda network, its convolution twin.
};

/// The parts of a step; `data` is the making of the batch.
struct StepParts {
  Timing data;
  Timing forward;
  Timing backward;
  Timing measures;
  Timing update;
};

/// Steps one behind the other, as a run on a GPU takes them: the next one is queued while the GPU
/// does the one before. Seconds a step.
struct StepsInARun {
  Timing step;
  Timing host;            ///< Of these the host was busy: batches and queueing.
  bool recorded = false;  ///< As a CUDA graph.
};

/// Training steps of one network.
struct NetworkSteps {
  std::string name;
  std::int64_t parameters = 0;
  double flops = 0;  ///< Of a step without data: three forward passes of the cost model, in which
                     ///< convolutions are plain sums.
  Timing step;       ///< With data.
  Timing withoutData;
  StepParts parts;
  std::optional<StepsInARun> inARun;       ///< None on the CPU, where steps don't overlap.
  std::optional<std::uint64_t> peakBytes;  ///< See runStepBenchmark().
  double firstLoss = 0;
  double lastLoss = 0;
};

struct StepBenchmark {
  int batch = 0;
  int threads = 1;
  Precision precision = Precision::float32;
  std::string device;
  bool syntheticData = false;  ///< Random pixels stood in for data that could not be found.
  std::size_t repetitions = 0;
  std::vector<NetworkSteps> networks;  ///< The configuration's; then its twin, if it has one.
};

/// The network with a 3x3 convolution in the place of every other mixer; none where there are only
/// convolutions.
std::optional<Architecture> convolutionTwin(const Architecture& architecture);

/// Times training steps of a configuration as the trainer takes them: batch, forward pass, loss,
/// backward pass, accuracy and norm of the gradients, optimiser, average; in turn with those of its
/// twin. On a GPU every part ends with a synchronisation; steps that overlap, as they do in a run,
/// take turns with these.
///
/// Before that, each network's peak memory over five steps, alone: on the CPU by how much the
/// process grows, network, optimiser and batch included; on a GPU what LibTorch allocated there.
/// Throws Error for a configuration or a device that can't be trained, memory that does not
/// suffice, and a loss that is not finite.
StepBenchmark runStepBenchmark(const RunConfig& config, const StepBenchmarkOptions& options);

/// Trains `steps` steps and writes what it takes to train them again elsewhere: as a safetensors
/// file, the weights before the first step under their names in a checkpoint, and of step i the
/// tensors "batch.i.images" [b, c, h, w] and "batch.i.labels"; as its metadata the configuration
/// ("config") and, as JSON lists, each step's "losses" and "learningRates". Throws Error.
void recordSteps(const RunConfig& config, int steps, const std::filesystem::path& path);

}  // namespace lambda
