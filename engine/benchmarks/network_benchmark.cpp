#include "engine/benchmarks/network_benchmark.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "engine/benchmarks/device/device_memory.h"
#include "engine/benchmarks/measuring/alternation.h"
#include "engine/runtime/out_of_memory.h"
#include "engine/runtime/tensor_memory.h"
#include "engine/training/checkpoint/training_state.h"
#include "engine/training/loop/trainer.h"
#include "engine/training/step/autocast.h"
#include "engine/training/step/training_step.h"

namespace lambda {

namespace {

constexpr int kMemoryRounds = 3;
constexpr std::int64_t kResidentImages = 4;

TensorBatch randomBatch(const ResolvedConfig& resolved, std::int64_t count) {
  const RunConfig& config = resolved.config();
  const MapShape& input = config.architecture.input;
  const at::Device device = torchDevice(resolved.device());
  const auto layout =
      config.recipe.channelsLast ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::Contiguous;
  const at::Tensor images = at::randn({count, input.channels, input.height, input.width});
  return {images.to(device).contiguous(layout),
          at::arange(count, at::kLong).remainder(config.architecture.outputs).to(device)};
}

/// A network that computes forward passes and training steps of one batch.
class BenchedNetwork {
 public:
  BenchedNetwork(const ResolvedConfig& resolved, TensorBatch batch)
      : state_(resolved), batch_(std::move(batch)) {}

  Laps forward() {
    const at::NoGradGuard noGradient;
    state_.network->eval();
    return timed([&] {
      const Autocast autocast(state_.recipe().precision, state_.device().type());
      state_.network(batch_.images);
    });
  }

  /// With a learning rate of 0, random labels can't make the weights diverge.
  Laps step() {
    state_.network->train();
    return timed([&] { trainOnBatch(state_, batch_, /*learningRate=*/0); });
  }

 private:
  Laps timed(const std::function<void()>& work) const {
    synchronize(state_.device());
    Stopwatch clock;
    work();
    synchronize(state_.device());
    clock.lap();
    return clock.laps();
  }

  TensorMemoryReuse reuse_;  ///< Must outlive the tensors below.
  TrainingState state_;
  TensorBatch batch_;
};

using NetworkPass = Laps (BenchedNetwork::*)();

std::optional<std::uint64_t> peakBytesOfPass(const ResolvedConfig& resolved,
                                             const TensorBatch& batch,
                                             NetworkPass pass) {
  return peakGrowthOn(batch.images.device(), [&] {
    BenchedNetwork network(resolved, batch);
    for (int round = 0; round < kMemoryRounds; ++round) (network.*pass)();
  });
}

NetworkBenchmark measureNetwork(const RunConfig& wanted, const NetworkBenchmarkOptions& options) {
  const ResolvedConfig resolved(wanted);
  const RunConfig& config = resolved.config();
  NetworkBenchmark result;
  result.name = config.name;
  result.batch = config.recipe.batchSize;
  result.threads = resolved.device().threads;
  result.precision = config.recipe.precision;
  result.device = resolved.device().name;
  {
    // A step of a few images makes code and thread stacks resident before memory is measured.
    const std::int64_t few = std::min<std::int64_t>(kResidentImages, config.recipe.batchSize);
    BenchedNetwork(resolved, randomBatch(resolved, few)).step();
  }
  const TensorBatch batch = randomBatch(resolved, config.recipe.batchSize);
  result.forwardPeakBytes = peakBytesOfPass(resolved, batch, &BenchedNetwork::forward);
  result.stepPeakBytes = peakBytesOfPass(resolved, batch, &BenchedNetwork::step);
  BenchedNetwork network(resolved, batch);
  const std::vector<Repetitions> repetitions =
      alternate({[&] { return network.forward(); }, [&] { return network.step(); }},
                {.warmUps = 1,
                 .repetitions = options.repetitions,
                 .secondsAtMost = options.secondsAtMost,
                 .fewest = 3});
  result.repetitions = repetitions.front().count();
  result.forward = repetitions[0].total();
  result.step = repetitions[1].total();
  return result;
}

}  // namespace

NetworkBenchmark runNetworkBenchmark(const RunConfig& config,
                                     const NetworkBenchmarkOptions& options) {
  requireTrainable(config);
  return explainingFailures(
      config.name, config.recipe, [&] { return measureNetwork(config, options); });
}

}  // namespace lambda
