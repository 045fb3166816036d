#include "engine/benchmarks/evaluation_benchmark.h"

#include <utility>
#include <vector>

#include "engine/benchmarks/measuring/alternation.h"
#include "engine/runtime/out_of_memory.h"
#include "engine/training/evaluation.h"
#include "engine/training/trainer.h"
#include "engine/training/training_dry_run.h"

namespace lambda {

namespace {

EvaluationBenchmark measure(const RunConfig& wanted, const EvaluationBenchmarkOptions& options) {
  const ResolvedConfig resolved(wanted);
  const DryRunData data(resolved);
  TrainingDryRun dryRun(resolved, *data.run);
  const LabeledImages& images = data.run->trainSample();
  const auto evaluateAll = [&] {
    Stopwatch clock;
    evaluate(*dryRun.state().network, images, data.run->maker(), [](std::int64_t) { return true; });
    clock.lap();
    return clock.laps();
  };
  const std::vector<Repetitions> repetitions = alternate(
      {evaluateAll},
      {.warmUps = 1, .repetitions = options.repetitions, .secondsAtMost = options.secondsAtMost});
  return {.images = static_cast<std::int64_t>(images.count()),
          .batch = static_cast<int>(kEvaluationBatch),
          .threads = resolved.device().threads,
          .precision = resolved.config().recipe.precision,
          .device = resolved.device().name,
          .syntheticData = data.areSynthetic,
          .repetitions = repetitions.front().count(),
          .evaluation = repetitions.front().total()};
}

}  // namespace

EvaluationBenchmark runEvaluationBenchmark(const RunConfig& config,
                                           const EvaluationBenchmarkOptions& options) {
  requireTrainable(config);
  return explainingFailures(config.name, config.recipe, [&] { return measure(config, options); });
}

}  // namespace lambda
