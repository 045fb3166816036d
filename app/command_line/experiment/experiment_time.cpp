#include "app/command_line/experiment/experiment_time.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/command_line/progress_line.h"
#include "app/command_line/report.h"
#include "app/command_line/text_table.h"
#include "app/interrupt.h"
#include "engine/experiments/experiment_plan.h"
#include "engine/formats/json/config_json.h"
#include "engine/training/throughput_estimate.h"
#include "engine/values/architecture/cost.h"
#include "engine/values/text/quantities.h"

namespace lambda {

namespace {

using Json = nlohmann::ordered_json;
using Align = TextTable::Align;

/// Enough for a plan; a run's own estimate takes more.
constexpr int kSteps = 8;

/// A variant with what one of its runs takes.
struct VariantTime {
  std::string name;
  std::int64_t parameters = 0;
  int epochs = 0;
  double flops = 0;    ///< Of the training of one run: forward and backward, 2 per multiply-add.
  double seconds = 0;  ///< Of one run.
};

/// The configuration without what does not change the time of a step, as text.
std::string stepKeyOf(RunConfig config) {
  config.name.clear();
  config.architecture.name.clear();
  config.architecture.description.clear();
  config.seed = 0;
  config.recipe.epochs = 1;
  config.recipe.learningRateFactor = 1;
  config.recipe.schedule = {};
  const OptimizerKind kind = config.recipe.optimizer.kind;
  config.recipe.optimizer = {};
  config.recipe.optimizer.kind = kind;
  return toJson(config);
}

Json variantJson(const VariantTime& variant) {
  return {{"variant", variant.name},
          {"parameters", variant.parameters},
          {"epochs", variant.epochs},
          {"trainingFlops", variant.flops},
          {"secondsPerRun", variant.seconds}};
}

std::string tableText(const std::vector<VariantTime>& times) {
  TextTable table({{"variant"},
                   {"parameters", Align::right},
                   {"epochs", Align::right},
                   {"training FLOPs", Align::right},
                   {"time of a run", Align::right}});
  for (const VariantTime& time : times) {
    table.addRow({time.name,
                  formatShortCount(time.parameters),
                  std::to_string(time.epochs),
                  formatShortCount(static_cast<std::int64_t>(time.flops)),
                  formatDuration(time.seconds)});
  }
  return table.text();
}

}  // namespace

int printExperimentTime(const Experiment& experiment, int parallel, const OutputOptions& output) {
  const ExperimentPlan plan = planOf(experiment);
  RunControl control;
  Interrupt interrupt([&] { control.requestStop(); });
  ProgressLine line(output.quiet);
  Observer silent;
  std::map<std::string, ThroughputEstimate> measured;
  std::vector<VariantTime> times;
  const auto seeds = static_cast<double>(experiment.seeds.size());
  double seconds = 0;
  double flops = 0;
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  for (std::size_t i = 0; i < plan.variants.size(); ++i) {
    RunConfig config = plan.configOf({i, experiment.seeds.front()});
    if (config.device.threads == 0) config.device.threads = std::max(1, cores / parallel);
    line.show({{"measuring " + plan.variants[i].name},
               static_cast<double>(i) / static_cast<double>(plan.variants.size())});
    const std::string key = stepKeyOf(config);
    if (!measured.contains(key)) {
      const auto estimate = estimateThroughput(config, kSteps, control, silent);
      if (!estimate) return interrupt.exitStatus();
      measured.emplace(key, *estimate);
    }
    const ThroughputEstimate& estimate = measured.at(key);
    const NetworkCost cost = costOf(config.architecture);
    const double images =
        estimate.imagesPerSecond * (estimate.secondsPerEpoch - estimate.evaluationSeconds);
    VariantTime time{.name = plan.variants[i].name,
                     .parameters = cost.parameters,
                     .epochs = config.recipe.epochs,
                     // The backward pass has two products for each of the forward pass.
                     .flops = 3.0 * static_cast<double>(cost.flops) * images * config.recipe.epochs,
                     .seconds = estimate.secondsPerEpoch * config.recipe.epochs};
    seconds += time.seconds * seeds / parallel;
    flops += time.flops * seeds;
    times.push_back(std::move(time));
  }
  line.clear();
  if (output.json) {
    Json variants = Json::array();
    for (const VariantTime& time : times) variants.push_back(variantJson(time));
    printJson({{"name", experiment.name},
               {"question", experiment.question},
               {"variants", variants},
               {"seeds", experiment.seeds},
               {"runs", plan.runs.size()},
               {"parallel", parallel},
               {"trainingFlops", flops},
               {"seconds", seconds}});
    return kExitOk;
  }
  printText(experiment.question + "\n\n" + tableText(times) + "\n" +
            formatCounted(static_cast<std::int64_t>(plan.runs.size()), "run") + " with " +
            formatCounted(static_cast<std::int64_t>(experiment.seeds.size()), "seed") + ": about " +
            formatDuration(seconds) + " on this machine.\n");
  return kExitOk;
}

}  // namespace lambda
