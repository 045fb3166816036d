#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/command_line/bench/bench_machine.h"
#include "app/command_line/bench/bench_options.h"
#include "app/command_line/bench/bench_rows.h"
#include "app/command_line/progress_line.h"
#include "app/command_line/report.h"
#include "app/command_line/text_table.h"
#include "engine/benchmarks/scaling/scaling_benchmark.h"
#include "engine/values/config/enum_names.h"
#include "engine/values/text/quantities.h"
#include "engine/values/text/text_safety.h"

namespace lambda {

namespace {

using Json = nlohmann::ordered_json;

constexpr double kGigabit = 1e9 / 8;
constexpr double kMicrosecond = 1e-6;

struct ScalingOptions : PresetOptions {
  std::vector<int> nodes = {8, 32, 128, 512};
  std::vector<double> gigabits = {25, 200};
  std::vector<double> faster = {1, 30, 1000};
  double latency = 20;  ///< Microseconds.
};

/// A step on so many nodes that are connected and compute like that.
struct ScalingRow {
  int nodes;
  double gigabits;
  double faster;
  NodeLinks links;
};

std::vector<ScalingRow> rowsOf(const ScalingOptions& options) {
  std::vector<ScalingRow> rows;
  for (const double faster : options.faster) {
    for (const double gigabits : options.gigabits) {
      for (const int nodes : options.nodes) {
        rows.push_back(
            {nodes, gigabits, faster, {gigabits * kGigabit, options.latency * kMicrosecond}});
      }
    }
  }
  return rows;
}

Json jsonOf(const ScalingBenchmark& benchmark, const ScalingOptions& options) {
  Json buckets = Json::array();
  for (const GradientBucket& each : benchmark.step.buckets) {
    buckets.push_back({{"bytes", each.bytes}, {"readySeconds", each.ready}});
  }
  Json rows = Json::array();
  for (const ScalingRow& row : rowsOf(options)) {
    const RankStep step = fasterBy(benchmark.step, row.faster);
    rows.push_back({{"nodes", row.nodes},
                    {"gigabitsPerSecond", row.gigabits},
                    {"timesAsFast", row.faster},
                    {"sentBytes", ringBytes(benchmark.gradientBytes(), row.nodes)},
                    {"sumSeconds", ringSeconds(benchmark.gradientBytes(), row.nodes, row.links)},
                    {"stepSeconds", stepSeconds(step, row.nodes, row.links)},
                    {"efficiency", efficiencyOf(step, row.nodes, row.links)}});
  }
  return {{"case", benchmark.name + " scaling"},
          {"parameters", benchmark.parameters},
          {"batch", benchmark.batch},
          {"threads", benchmark.threads},
          {"precision", nameOf(benchmark.precision)},
          {"syntheticData", benchmark.syntheticData},
          {"repetitions", benchmark.repetitions},
          {"stepSeconds", benchmark.step.seconds},
          {"buckets", buckets},
          {"rows", rows}};
}

std::string headOf(const ScalingBenchmark& benchmark) {
  std::string text = terminalText(benchmark.name) + ": " + formatCount(benchmark.parameters) +
                     " parameters, a step of " + std::to_string(benchmark.batch) + " examples in " +
                     millisecondsText(benchmark.step.seconds) + " ms, " +
                     std::string(nameOf(benchmark.precision)) + ", " +
                     formatCounted(benchmark.threads, "thread") + "\nbuckets:";
  for (const GradientBucket& each : benchmark.step.buckets) {
    text += " " + formatBytes(static_cast<std::uint64_t>(each.bytes)) + " after " +
            formatPercent(each.ready / benchmark.step.seconds, 0) + " of the step;";
  }
  text.back() = '\n';
  return text;
}

std::string tableOf(const ScalingBenchmark& benchmark, const ScalingOptions& options) {
  using Align = TextTable::Align;
  TextTable table({{"nodes", Align::right},
                   {"Gbit/s", Align::right},
                   {"times as fast", Align::right},
                   {"sent by a node", Align::right},
                   {"sum, ms", Align::right},
                   {"step, ms", Align::right},
                   {"computes", Align::right}});
  for (const ScalingRow& row : rowsOf(options)) {
    const RankStep step = fasterBy(benchmark.step, row.faster);
    const std::int64_t bytes = benchmark.gradientBytes();
    table.addRow({std::to_string(row.nodes),
                  formatRounded(row.gigabits),
                  formatRounded(row.faster),
                  formatBytes(static_cast<std::uint64_t>(ringBytes(bytes, row.nodes))),
                  millisecondsText(ringSeconds(bytes, row.nodes, row.links)),
                  millisecondsText(stepSeconds(step, row.nodes, row.links)),
                  formatPercent(efficiencyOf(step, row.nodes, row.links))});
  }
  return table.text("  ");
}

int runScaling(const ScalingOptions& options) {
  const ComputeDevice device = deviceOf(options);
  BenchMachine machine(device);
  ProgressLine line(options.output.quiet);
  std::vector<ScalingBenchmark> all;
  BenchFailures failures;
  double done = 0;
  const std::vector<int> threads = threadCounts(options, device);
  for (const std::string& preset : options.presets) {
    line.show({{"scaling", preset}, done++ / static_cast<double>(options.presets.size())});
    const RunConfig config = configOf(preset, options, threads.back());
    failures.watch(config.name, threads.back(), [&] {
      all.push_back(runScalingBenchmark(config, {options.repetitions, options.seconds}));
    });
  }
  line.clear();
  if (options.output.json) {
    Json rows = Json::array();
    for (const ScalingBenchmark& each : all) rows.push_back(jsonOf(each, options));
    machine.printWarnings(line);
    printJson({{"benchmark", "scaling"},
               {"machine", machine.json()},
               {"latencyMicroseconds", options.latency},
               {"rows", rows},
               {"failures", failures.json()}});
  } else {
    std::string text;
    for (const ScalingBenchmark& each : all) {
      text += headOf(each) + "\n" + tableOf(each, options) + "\n";
    }
    printText(text +
              "A simulation: each node has a batch of this size, computes so many times as fast as "
              "this machine,\nand sends each bucket in a ring when it is ready and the one before "
              "has arrived. Computes: the share of\na step that is not waiting.\n\n" +
              machine.text());
  }
  return failures.report();
}

}  // namespace

void addBenchScaling(CLI::App& bench, Action& action) {
  const auto options = std::make_shared<ScalingOptions>();
  CLI::App* command =
      addCommand(bench,
                 "scaling",
                 "What training by many nodes would take, from steps measured here",
                 {{"lambda bench scaling tudelft-lambda --threads 2",
                   "on 8 to 512 nodes, connected by 25 and by 200 Gbit/s"},
                  {"lambda bench scaling mine.json --nodes 64 --gbits 100 --faster 50",
                   "64 nodes that compute 50 times as fast as this machine"}},
                 "Measures a step and when each bucket of its gradients is ready; the nodes are a "
                 "simulation.");
  addPresetOptions(command, *options);
  addTurnOptions(command, *options);
  command->add_option("--nodes", options->nodes, "numbers of nodes")
      ->check(CLI::Range(2, 1 << 20))
      ->type_name("N");
  command->add_option("--gbits", options->gigabits, "Gbit/s of a node's link in each direction")
      ->check(CLI::PositiveNumber)
      ->type_name("X");
  command->add_option("--faster", options->faster, "how many times as fast a node computes")
      ->check(CLI::PositiveNumber)
      ->type_name("X");
  command->add_option("--latency", options->latency, "microseconds from node to node")
      ->check(CLI::NonNegativeNumber)
      ->type_name("X");
  onChosen(command, options, action, runScaling);
}

}  // namespace lambda
