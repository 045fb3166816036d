#include "engine/benchmarks/scaling/scaling_benchmark.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "engine/runtime/out_of_memory.h"
#include "engine/runtime/processes/reachable_address.h"
#include "engine/runtime/seconds_since.h"
#include "engine/training/loop/dry_run.h"
#include "engine/training/loop/steps.h"
#include "engine/training/loop/trainer.h"
#include "engine/training/processes/team.h"
#include "engine/training/start/start_weights.h"
#include "engine/values/architecture/cost.h"

namespace lambda {

namespace {

constexpr int kWarmUps = 3;

/// A launch of this process alone, whose sums are its own values.
Launch aloneHere() {
  Launch launch;
  launch.launcher = "lambda";
  launch.host = "127.0.0.1";
  const ListeningSocket socket = listenOnThisHost();
  launch.port = socket.port;
  launch.listening = socket.file;
  return launch;
}

double medianOf(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// The median of a value of all steps.
template <class Value>
double medianOf(const std::vector<RankStep>& steps, const Value& value) {
  std::vector<double> values;
  for (const RankStep& each : steps) values.push_back(value(each));
  return medianOf(std::move(values));
}

ScalingBenchmark measure(const RunConfig& wanted, const ScalingBenchmarkOptions& options) {
  const ResolvedConfig resolved(wanted);
  const std::unique_ptr<TrainingData> data = dryRunData(resolved);
  TrainingState state(resolved);
  whitenStem(state, *data);
  const std::shared_ptr<Processes> alone = joinProcesses(aloneHere(), {});
  Team team(*alone, state, resolved.config());
  const auto ignore = [](const std::string&) {};
  Steps steps(state, *data, resolved.config().recipe, /*recorder=*/nullptr, ignore, &team);

  std::vector<RankStep> measured;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kWarmUps + options.repetitions; ++i) {
    const auto began = std::chrono::steady_clock::now();
    steps.start(/*withHistograms=*/false).step.outcome();
    const double seconds = secondsSince(began);
    TrainingProgress& at = state.progress;
    ++at.step;
    if (++at.batch == data->batchesPerEpoch()) at.batch = 0;
    if (i < kWarmUps) continue;
    measured.push_back({seconds, {}});
    for (const SentBucket& each : team.sentBuckets()) {
      const std::chrono::duration<double> ready = each.at - team.stepBegan();
      measured.back().buckets.push_back({each.bytes, ready.count()});
    }
    if (secondsSince(start) > options.secondsAtMost) break;
  }

  ScalingBenchmark result{.name = wanted.name,
                          .parameters = costOf(wanted.architecture).parameters,
                          .batch = wanted.recipe.batchSize,
                          .threads = resolved.device().threads,
                          .precision = resolved.config().recipe.precision,
                          .syntheticData = data->areSynthetic(),
                          .repetitions = static_cast<int>(measured.size()),
                          .step = measured.front()};
  result.step.seconds = medianOf(measured, [](const RankStep& step) { return step.seconds; });
  for (std::size_t i = 0; i < result.step.buckets.size(); ++i) {
    result.step.buckets[i].ready =
        medianOf(measured, [i](const RankStep& step) { return step.buckets[i].ready; });
  }
  return result;
}

}  // namespace

std::int64_t ScalingBenchmark::gradientBytes() const {
  std::int64_t bytes = 0;
  for (const GradientBucket& each : step.buckets) bytes += each.bytes;
  return bytes;
}

ScalingBenchmark runScalingBenchmark(const RunConfig& config,
                                     const ScalingBenchmarkOptions& options) {
  requireTrainable(config);
  return explainingFailures(config.name, config.recipe, [&] { return measure(config, options); });
}

}  // namespace lambda
