#include "engine/benchmarks/step_benchmark.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "engine/benchmarks/device/device_memory.h"
#include "engine/benchmarks/measuring/alternation.h"
#include "engine/runtime/error.h"
#include "engine/runtime/out_of_memory.h"
#include "engine/training/loop/dry_run.h"
#include "engine/training/loop/trainer.h"
#include "engine/values/architecture/cost.h"

namespace lambda {

namespace {

constexpr int kWarmUpSteps = 3;
constexpr int kMemorySteps = kStepsBeforeRecord + 2;  // On a GPU they include the recording.
constexpr std::int64_t kWarmUpImages = 4;

/// A backward pass costs two forward passes: one for the gradients of inputs, one for weights.
constexpr double kPassesPerStep = 3;

/// Laps of a step, in their order.
enum Lap : std::size_t { kData, kForward, kBackward, kMeasures, kUpdate };

std::optional<std::uint64_t> peakBytesOf(const ResolvedConfig& resolved, TrainingData& data) {
  {
    // A step of a few images makes code and thread stacks resident before memory is measured.
    DryRun dryRun(resolved, data);
    const TensorBatch batch = dryRun.nextBatch();
    const std::int64_t few = std::min<std::int64_t>(kWarmUpImages, batch.labels.size(0));
    dryRun.train({batch.images.narrow(0, 0, few), batch.labels.narrow(0, 0, few)});
  }
  return peakGrowthOn(torchDevice(resolved.device()), [&] {
    DryRun dryRun(resolved, data);
    for (int step = 0; step < kMemorySteps; ++step) dryRun.step();
  });
}

/// A network that trains step by step.
class TimedTraining {
 public:
  TimedTraining(const ResolvedConfig& resolved, TrainingData& data)
      : config_(resolved.config()), dryRun_(resolved, data) {}

  Laps step() {
    const at::Device device = dryRun_.state().device();
    synchronize(device);
    Stopwatch clock;
    const TensorBatch batch = dryRun_.nextBatch();
    synchronize(device);
    clock.lap();
    const StepOutcome outcome = dryRun_.train(batch, [&](StepPhase) {
      synchronize(device);
      clock.lap();
    });
    if (!outcome.finite) {
      throw Error(config_.name,
                  "the loss or a gradient of a step is not finite",
                  "choose a lower learning rate: --set recipe.optimizer.learningRate=...");
    }
    losses_.push_back(outcome.loss);
    return clock.laps();
  }

  NetworkSteps figures(const Repetitions& repetitions) const {
    const NetworkCost cost = costOf(config_.architecture);
    NetworkSteps figures;
    figures.name = config_.name;
    figures.parameters = cost.parameters;
    figures.flops = kPassesPerStep * static_cast<double>(cost.flops) * config_.recipe.batchSize;
    figures.step = repetitions.total();
    figures.withoutData = repetitions.without(kData);
    figures.parts = {repetitions.part(kData),
                     repetitions.part(kForward),
                     repetitions.part(kBackward),
                     repetitions.part(kMeasures),
                     repetitions.part(kUpdate)};
    figures.firstLoss = losses_.front();
    figures.lastLoss = losses_.back();
    return figures;
  }

 private:
  RunConfig config_;
  DryRun dryRun_;
  std::vector<double> losses_;
};

/// A network that trains as in a run, several steps at a time.
class TimedRun {
 public:
  TimedRun(const ResolvedConfig& resolved, TrainingData& data) : dryRun_(resolved, data) {
    for (int step = 0; step < kStepsAtATime; ++step) dryRun_.step();
  }

  /// Trains kStepsAtATime steps. The laps are queueing and waiting.
  Laps steps() {
    synchronize(dryRun_.state().device());
    Stopwatch clock;
    for (int step = 0; step < kStepsAtATime; ++step) dryRun_.start(dryRun_.nextBatch());
    clock.lap();
    synchronize(dryRun_.state().device());
    clock.lap();
    Laps laps = clock.laps();
    for (double& lap : laps) lap /= kStepsAtATime;
    return laps;
  }

  PipelinedSteps figures(const Repetitions& repetitions) const {
    return {repetitions.total(), repetitions.part(0), dryRun_.recordCounts()};
  }

 private:
  static constexpr int kStepsAtATime = 8;

  DryRun dryRun_;
};

std::vector<ResolvedConfig> networksOf(const ResolvedConfig& resolved, bool withTwin) {
  std::vector<ResolvedConfig> networks{resolved};
  RunConfig config = resolved.config();
  if (const auto twin = convolutionTwin(config.architecture); twin && withTwin) {
    config.architecture = *twin;
    config.name = "conv twin";
    networks.emplace_back(std::move(config), resolved.device());
  }
  return networks;
}

StepBenchmark measure(RunConfig wanted, const StepBenchmarkOptions& options) {
  const ResolvedConfig resolved(std::move(wanted));
  const RunConfig& config = resolved.config();
  const ComputeDevice& device = resolved.device();
  const std::vector<ResolvedConfig> networks = networksOf(resolved, options.withTwin);
  StepBenchmark result;
  result.batch = config.recipe.batchSize;
  result.threads = device.threads;
  result.precision = config.recipe.precision;
  result.device = device.name;
  const std::unique_ptr<TrainingData> found = dryRunData(resolved);
  TrainingData& data = *found;
  result.syntheticData = data.areSynthetic();

  std::vector<std::optional<std::uint64_t>> peaks;
  for (const ResolvedConfig& each : networks) peaks.push_back(peakBytesOf(each, data));

  std::vector<std::unique_ptr<TimedTraining>> trainings;
  std::vector<std::function<Laps()>> contenders;
  for (const ResolvedConfig& each : networks) {
    trainings.push_back(std::make_unique<TimedTraining>(each, data));
    contenders.emplace_back([&training = *trainings.back()] { return training.step(); });
  }
  std::vector<std::unique_ptr<TimedRun>> runs;
  for (const ResolvedConfig& each : networks) {
    if (device.kind != DeviceKind::cuda) break;
    runs.push_back(std::make_unique<TimedRun>(each, data));
    contenders.emplace_back([&run = *runs.back()] { return run.steps(); });
  }
  const std::vector<Repetitions> repetitions = alternate(contenders,
                                                         {.warmUps = kWarmUpSteps,
                                                          .repetitions = options.repetitions,
                                                          .secondsAtMost = options.secondsAtMost});
  result.repetitions = repetitions.front().count();
  for (std::size_t i = 0; i < networks.size(); ++i) {
    result.networks.push_back(trainings[i]->figures(repetitions[i]));
    result.networks.back().peakBytes = peaks[i];
    result.networks.back().paths = pathsOf(networks[i].config(), device).layers;
    if (!runs.empty()) {
      result.networks.back().inARun = runs[i]->figures(repetitions[networks.size() + i]);
    }
  }
  return result;
}

}  // namespace

std::optional<Architecture> convolutionTwin(const Architecture& architecture) {
  Architecture twin = architecture;
  bool hasOther = false;
  for (Stage& stage : twin.stages) {
    for (Block& block : stage.blocks) {
      if (std::holds_alternative<ConvolutionMixer>(block.mixer)) continue;
      block.mixer = ConvolutionMixer{};
      hasOther = true;
    }
  }
  return hasOther ? std::optional(twin) : std::nullopt;
}

StepBenchmark runStepBenchmark(const RunConfig& config, const StepBenchmarkOptions& options) {
  requireTrainable(config);
  return explainingFailures(config.name, config.recipe, [&] { return measure(config, options); });
}

}  // namespace lambda
