#include "engine/benchmarks/evaluation_benchmark.h"

#include <utility>
#include <vector>

#include "engine/benchmarks/measuring/alternation.h"
#include "engine/runtime/out_of_memory.h"
#include "engine/training/loop/dry_run.h"
#include "engine/training/loop/trainer.h"
#include "engine/training/scoring.h"

namespace lambda {

namespace {

EvaluationBenchmark measure(const RunConfig& wanted, const EvaluationBenchmarkOptions& options) {
  const ResolvedConfig resolved(wanted);
  const std::unique_ptr<TrainingData> data = dryRunData(resolved);
  DryRun dryRun(resolved, *data);
  const Examples& examples = data->trainSample();
  const auto evaluateAll = [&] {
    Stopwatch clock;
    evaluate(*dryRun.state().network, examples, [](std::int64_t) { return true; });
    clock.lap();
    return clock.laps();
  };
  const std::vector<Repetitions> repetitions = alternate(
      {evaluateAll},
      {.warmUps = 1, .repetitions = options.repetitions, .secondsAtMost = options.secondsAtMost});
  return {.images = examples.count(),
          .batch = static_cast<int>(examples.together()),
          .threads = resolved.device().threads,
          .precision = resolved.config().recipe.precision,
          .device = resolved.device().name,
          .syntheticData = data->areSynthetic(),
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
