#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/command_line/bench/bench_machine.h"
#include "app/command_line/bench/bench_options.h"
#include "app/command_line/bench/bench_rows.h"
#include "app/command_line/progress_line.h"
#include "app/command_line/report.h"
#include "app/command_line/text_table.h"
#include "engine/benchmarks/data_benchmark.h"
#include "engine/values/text/quantities.h"

namespace lambda {

namespace {

using Json = nlohmann::ordered_json;

/// Images per second of our pipeline.
double imagesPerSecond(const DataBenchmark& benchmark) {
  const double seconds = benchmark.row.forms.front().time.median;
  return seconds > 0 ? benchmark.row.batch / seconds : 0;
}

double shareOfStep(const DataBenchmark& benchmark) {
  const double step = benchmark.step.median;
  return step > 0 ? benchmark.row.forms.front().time.median / step : 0;
}

int runData(const PresetOptions& options) {
  using Align = TextTable::Align;
  const ComputeDevice device = deviceOf(options);
  BenchMachine machine(device);
  ProgressLine line(options.output.quiet);
  Json rows = Json::array();
  TextTable table({{"threads", Align::right},
                   {"batch"},
                   {"images", Align::right},
                   {"ours, ms", Align::right},
                   {"images/s", Align::right},
                   {"ATen, image by image", Align::right},
                   {"of a step", Align::right}});
  bool synthetic = false;
  double done = 0;
  const std::vector<int> threads = threadCounts(options, device);
  for (const int count : threads) {
    machine.measureCeilings(count);
    for (const std::string& preset : options.presets) {
      line.show({{"data", preset, formatCounted(count, "thread")},
                 done++ / static_cast<double>(options.presets.size() * threads.size())});
      const DataBenchmark benchmark = runDataBenchmark(configOf(preset, options, count),
                                                       {options.repetitions, options.seconds});
      const BenchmarkRow& row = benchmark.row;
      // Neither FLOPs nor bytes of these rows are counted: no share depends on later measurements.
      Json json = rowJson({row, machine.ceilings(count)});
      json["imagesPerSecond"] = imagesPerSecond(benchmark);
      json["shareOfStep"] = shareOfStep(benchmark);
      json["syntheticData"] = benchmark.syntheticData;
      rows.push_back(std::move(json));
      synthetic = synthetic || benchmark.syntheticData;
      table.addRow({std::to_string(count),
                    row.name,
                    std::to_string(row.batch),
                    millisecondsText(row.forms[0].time.median),
                    formatCount(static_cast<std::int64_t>(imagesPerSecond(benchmark))),
                    formatFixed(row.forms[1].time.median / row.forms[0].time.median, 2) + "x",
                    formatPercent(shareOfStep(benchmark))});
    }
  }
  line.clear();
  if (options.output.json) {
    machine.printWarnings(line);
    printJson({{"benchmark", "data"}, {"machine", machine.json()}, {"rows", rows}});
  } else {
    printText("Time to make a batch, from stored images to the network's input.\n\n" +
              table.text("  ") +
              (synthetic ? "\nRandom pixels replaced data that could not be found.\n" : "") + "\n" +
              machine.text());
  }
  return kExitOk;
}

}  // namespace

void addBenchData(CLI::App& bench, Action& action) {
  const auto options = std::make_shared<PresetOptions>();
  CLI::App* command = addCommand(
      bench,
      "data",
      "The input pipeline alone, and its share of a training step",
      {{"lambda bench data", "the presets that two CPU cores can train"},
       {"lambda bench data cpu-hybrid --data cifar10", "one preset, with its own data set"}},
      "Compared with LibTorch's operations, image by image, as in Python pipelines; "
      "a check first makes sure that both give the same batch.");
  addPresetOptions(command, *options);
  addBatchOption(command, options->batch);
  addTurnOptions(command, *options);
  onChosen(command, options, action, runData);
}

}  // namespace lambda
