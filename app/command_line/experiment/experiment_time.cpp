#include "app/command_line/experiment/experiment_time.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <queue>

#include <nlohmann/json.hpp>

#include "app/command_line/progress_line.h"
#include "app/command_line/report.h"
#include "app/command_line/text_table.h"
#include "app/interrupt.h"
#include "engine/experiments/experiment_plan.h"
#include "engine/experiments/run_processes.h"
#include "engine/training/loop/throughput_estimate.h"
#include "engine/values/architecture/cost.h"
#include "engine/values/config/settings.h"
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

/// What the whole experiment takes.
struct ExperimentTime {
  std::vector<VariantTime> variants;
  double flops = 0;
  double seconds = 0;
};

VariantTime timeOf(const PlannedVariant& variant, const ThroughputEstimate& estimate) {
  const NetworkCost cost = costOf(variant.config.architecture);
  const int epochs = variant.config.recipe.epochs;
  const double images =
      estimate.imagesPerSecond * (estimate.secondsPerEpoch - estimate.evaluationSeconds);
  return {.name = variant.name,
          .parameters = cost.parameters,
          .epochs = epochs,
          // The backward pass has two products for each of the forward pass.
          .flops = 3.0 * static_cast<double>(cost.flops) * images * epochs,
          .seconds = estimate.secondsPerEpoch * epochs};
}

/// Nothing where the control asked to stop.
std::optional<ExperimentTime> measure(const ExperimentPlan& plan,
                                      const std::vector<std::uint64_t>& seeds,
                                      int parallel,
                                      RunControl& control,
                                      ProgressLine& line) {
  Observer silent;
  std::vector<std::pair<RunConfig, ThroughputEstimate>> measured;
  ExperimentTime all;
  for (std::size_t i = 0; i < plan.variants.size(); ++i) {
    RunConfig config = plan.configOf({i, seeds.front()});
    if (config.device.threads == 0) config.device.threads = threadsOfRun(parallel);
    // A student trains with its teacher's labels, which there are not yet: at most with all images.
    if (plan.variants[i].teacher) config.data.labelledPerClass = 0;
    line.show({{"measuring " + plan.variants[i].name},
               static_cast<double>(i) / static_cast<double>(plan.variants.size())});
    auto known = std::ranges::find_if(
        measured, [&](const auto& each) { return isEquallyFast(each.first, config); });
    if (known == measured.end()) {
      const auto estimate = estimateThroughput(config, kSteps, control, silent);
      if (!estimate) return std::nullopt;
      known = measured.insert(known, {config, *estimate});
    }
    all.variants.push_back(timeOf(plan.variants[i], known->second));
    const auto runs = static_cast<double>(seeds.size());
    all.flops += all.variants.back().flops * runs;
    all.seconds += all.variants.back().seconds * runs / parallel;
  }
  return all;
}

/// The seconds until all runs are done where machines take them in their order, `parallel` at a
/// time each.
double secondsOn(int machines,
                 int parallel,
                 const ExperimentTime& time,
                 const ExperimentPlan& plan) {
  std::priority_queue<double, std::vector<double>, std::greater<>> ends;
  for (int slot = 0; slot < machines * parallel; ++slot) ends.push(0);
  double last = 0;
  for (const PlannedRun& run : plan.runs) {
    const double end = ends.top() + time.variants[run.variant].seconds;
    ends.pop();
    ends.push(end);
    last = std::max(last, end);
  }
  return last;
}

/// The numbers of machines to show: 2, 4, 8, ... and as many as can have work.
std::vector<int> machinesFor(const Experiment& experiment, std::size_t runs, int parallel) {
  // Early ends compare runs of all machines, which therefore can't share them out.
  if (experiment.halving.isOn()) return {};
  const int most = (static_cast<int>(runs) + parallel - 1) / parallel;
  std::vector<int> numbers;
  for (int machines = 2; machines < most; machines *= 2) numbers.push_back(machines);
  if (most > 1) numbers.push_back(most);
  return numbers;
}

std::string machinesText(const Experiment& experiment,
                         const ExperimentTime& time,
                         const ExperimentPlan& plan,
                         int parallel) {
  const std::vector<int> numbers = machinesFor(experiment, plan.runs.size(), parallel);
  if (numbers.empty()) return {};
  std::string list;
  for (const int machines : numbers) {
    list += (list.empty() ? "" : ", ") + formatDuration(secondsOn(machines, parallel, time, plan)) +
            " on " + std::to_string(machines);
  }
  return "Machines like this one share the runs out (srun, torchrun, mpirun, or --part): " + list +
         ".\nMore machines help only where several train one run: lambda train under a launcher.\n";
}

}  // namespace

int printExperimentTime(const Experiment& experiment, int parallel, const OutputOptions& output) {
  const ExperimentPlan plan = planOf(experiment);
  RunControl control;
  Interrupt interrupt([&] { control.requestStop(); });
  ProgressLine line(output.quiet);
  const auto time = measure(plan, experiment.seeds, parallel, control, line);
  if (!time) return interrupt.exitStatus();
  line.clear();
  if (output.json) {
    Json variants = Json::array();
    for (const VariantTime& each : time->variants) variants.push_back(variantJson(each));
    Json machines = Json::array();
    for (const int each : machinesFor(experiment, plan.runs.size(), parallel)) {
      machines.push_back({{"machines", each}, {"seconds", secondsOn(each, parallel, *time, plan)}});
    }
    printJson({{"name", experiment.name},
               {"question", experiment.question},
               {"variants", variants},
               {"seeds", experiment.seeds},
               {"runs", plan.runs.size()},
               {"parallel", parallel},
               {"trainingFlops", time->flops},
               {"seconds", time->seconds},
               {"onMachines", machines}});
    return kExitOk;
  }
  printText(experiment.question + "\n\n" + tableText(time->variants) + "\n" +
            formatCounted(std::ssize(plan.runs), "run") + " with " +
            formatCounted(std::ssize(experiment.seeds), "seed") + ": about " +
            formatDuration(time->seconds) + " on this machine.\n" +
            machinesText(experiment, *time, plan, parallel));
  return kExitOk;
}

}  // namespace lambda
