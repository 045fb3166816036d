#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/command_line/bench/bench_machine.h"
#include "app/command_line/bench/bench_options.h"
#include "app/command_line/bench/bench_rows.h"
#include "app/command_line/progress_line.h"
#include "app/command_line/report.h"
#include "app/command_line/text_table.h"
#include "engine/benchmarks/evaluation_benchmark.h"
#include "engine/values/config/enum_names.h"
#include "engine/values/text/quantities.h"
#include "engine/values/text/text_safety.h"

namespace lambda {

namespace {

using Json = nlohmann::ordered_json;

struct NamedEvaluation {
  std::string name;
  EvaluationBenchmark benchmark;

  double imagesPerSecond(double seconds) const {
    return seconds > 0 ? static_cast<double>(benchmark.images) / seconds : 0;
  }
};

Json jsonOf(const NamedEvaluation& row) {
  const EvaluationBenchmark& benchmark = row.benchmark;
  const Timing& evaluation = benchmark.evaluation;
  return {{"case", row.name + " evaluation"},
          {"imagesPerSecond", row.imagesPerSecond(evaluation.median)},
          {"imagesPerSecondRange",
           {row.imagesPerSecond(evaluation.high), row.imagesPerSecond(evaluation.low)}},
          {"images", benchmark.images},
          {"batch", benchmark.batch},
          {"threads", benchmark.threads},
          {"precision", nameOf(benchmark.precision)},
          {"device", benchmark.device},
          {"syntheticData", benchmark.syntheticData},
          {"repetitions", benchmark.repetitions}};
}

std::string tableOf(const std::vector<NamedEvaluation>& rows) {
  using Align = TextTable::Align;
  TextTable table({{"network"},
                   {"images/s", Align::right},
                   {"p10 to p90", Align::right},
                   {"precision"},
                   {"batch", Align::right},
                   {"threads", Align::right}});
  for (const NamedEvaluation& row : rows) {
    const Timing& evaluation = row.benchmark.evaluation;
    table.addRow({terminalText(row.name),
                  formatFixed(row.imagesPerSecond(evaluation.median), 0),
                  formatFixed(row.imagesPerSecond(evaluation.high), 0) + " to " +
                      formatFixed(row.imagesPerSecond(evaluation.low), 0),
                  std::string(nameOf(row.benchmark.precision)),
                  std::to_string(row.benchmark.batch),
                  std::to_string(row.benchmark.threads)});
  }
  return table.text("  ");
}

int runEvaluation(const PresetOptions& options) {
  const ComputeDevice device = deviceOf(options);
  BenchMachine machine(device);
  ProgressLine line(options.output.quiet);
  std::vector<NamedEvaluation> rows;
  BenchFailures failures;
  double done = 0;
  const std::vector<int> threads = threadCounts(options, device);
  for (const int count : threads) {
    for (const std::string& preset : options.presets) {
      line.show({{"evaluation", preset, formatCounted(count, "thread")},
                 done++ / static_cast<double>(options.presets.size() * threads.size())});
      const RunConfig config = configOf(preset, options, count);
      failures.watch(config.name, count, [&] {
        rows.push_back(
            {config.name, runEvaluationBenchmark(config, {options.repetitions, options.seconds})});
      });
    }
  }
  line.clear();
  if (options.output.json) {
    Json all = Json::array();
    for (const NamedEvaluation& row : rows) all.push_back(jsonOf(row));
    machine.printWarnings(line);
    printJson({{"benchmark", "evaluation"},
               {"machine", machine.json()},
               {"rows", all},
               {"failures", failures.json()}});
  } else {
    printText(tableOf(rows) +
              "\nImages of the data set, or random pixels where it is missing. Batches, forward "
              "passes and scores.\n\n" +
              machine.text());
  }
  return failures.report();
}

}  // namespace

void addBenchEvaluation(CLI::App& bench, Action& action) {
  const auto options = std::make_shared<PresetOptions>();
  CLI::App* command =
      addCommand(bench,
                 "evaluation",
                 "Images per second of lambda evaluate",
                 {{"lambda bench evaluation tudelft-lambda tudelft-conv --precision float32",
                   "two networks, in float32"}},
                 "The network is fresh, because its weights do not change the time. Batches have "
                 "250 images, as in every evaluation.");
  addPresetOptions(command, *options);
  addTurnOptions(command, *options);
  onChosen(command, options, action, runEvaluation);
}

}  // namespace lambda
