#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/command_line/bench/bench_machine.h"
#include "app/command_line/bench/bench_options.h"
#include "app/command_line/bench/bench_rows.h"
#include "app/command_line/progress_line.h"
#include "app/command_line/report.h"
#include "app/command_line/text_table.h"
#include "engine/benchmarks/network_benchmark.h"
#include "engine/formats/files/durable_file.h"
#include "engine/formats/metrics/network_table.h"
#include "engine/values/architecture/cost.h"
#include "engine/values/config/enum_names.h"
#include "engine/values/text/quantities.h"

namespace lambda {

namespace {

using Json = nlohmann::ordered_json;

struct NetworksOptions : PresetOptions {
  std::optional<std::string> csv;
};

double imagesPerSecond(const NetworkBenchmark& benchmark, const Timing& pass) {
  return pass.median > 0 ? benchmark.batch / pass.median : 0;
}

NetworkMeasurement measurementOf(const NetworkBenchmark& benchmark,
                                 const Architecture& architecture) {
  const NetworkCost cost = costOf(architecture);
  return {.network = benchmark.name,
          .pattern = patternOf(architecture),
          .height = architecture.input.height,
          .width = architecture.input.width,
          .parameters = cost.parameters,
          .flops = cost.flops,
          .activationBytes = cost.activationBytes,
          .forwardImagesPerSecond = imagesPerSecond(benchmark, benchmark.forward),
          .trainingImagesPerSecond = imagesPerSecond(benchmark, benchmark.step),
          .forwardPeakBytes = benchmark.forwardPeakBytes,
          .trainingPeakBytes = benchmark.stepPeakBytes,
          .batch = benchmark.batch,
          .threads = benchmark.threads,
          .precision = std::string(nameOf(benchmark.precision)),
          .device = benchmark.device,
          .repetitions = benchmark.repetitions};
}

Json jsonOf(const std::vector<NetworkMeasurement>& rows) {
  Json all = Json::array();
  for (const NetworkMeasurement& row : rows) {
    Json& json = all.emplace_back(Json::object());
    visitColumns(row, [&](const char* name, const auto& value) {
      if constexpr (requires { value.has_value(); }) {
        json[name] = value ? Json(*value) : Json(nullptr);
      } else {
        json[name] = value;
      }
    });
  }
  return all;
}

std::string tableOf(const std::vector<NetworkMeasurement>& rows) {
  using Align = TextTable::Align;
  TextTable table({{"network"},
                   {"image", Align::right},
                   {"parameters", Align::right},
                   {"FLOPs", Align::right},
                   {"forward, images/s", Align::right},
                   {"training, images/s", Align::right},
                   {"forward, memory", Align::right},
                   {"training, memory", Align::right},
                   {"batch", Align::right},
                   {"threads", Align::right}});
  const auto memory = [](const std::optional<std::uint64_t>& bytes) {
    return bytes ? formatBytes(*bytes) : std::string();
  };
  for (const NetworkMeasurement& row : rows) {
    table.addRow({row.network,
                  std::to_string(row.height) + "x" + std::to_string(row.width),
                  formatShortCount(row.parameters),
                  formatShortCount(row.flops),
                  formatFixed(row.forwardImagesPerSecond, 1),
                  formatFixed(row.trainingImagesPerSecond, 1),
                  memory(row.forwardPeakBytes),
                  memory(row.trainingPeakBytes),
                  std::to_string(row.batch),
                  std::to_string(row.threads)});
  }
  return table.text("  ");
}

int runNetworks(const NetworksOptions& options) {
  const ComputeDevice device = deviceOf(options);
  BenchMachine machine(device);
  ProgressLine line(options.output.quiet);
  std::vector<NetworkMeasurement> rows;
  BenchFailures failures;
  double done = 0;
  // By default once, so that a table has each network once.
  const std::vector<int> threads =
      options.threads.empty() ? std::vector{availableCores()} : threadCounts(options, device);
  for (const int count : threads) {
    for (const std::string& preset : options.presets) {
      line.show({{"networks", preset, formatCounted(count, "thread")},
                 done++ / static_cast<double>(options.presets.size() * threads.size())});
      const RunConfig config = configOf(preset, options, count);
      failures.watch(config.name, count, [&] {
        const NetworkBenchmark benchmark =
            runNetworkBenchmark(config, {options.repetitions, options.seconds});
        rows.push_back(measurementOf(benchmark, config.architecture));
      });
    }
  }
  line.clear();
  if (options.output.json) {
    machine.printWarnings(line);
    printJson({{"benchmark", "networks"},
               {"machine", machine.json()},
               {"rows", jsonOf(rows)},
               {"failures", failures.json()}});
  } else {
    printText(
        tableOf(rows) +
        "\nRandom images. Forward: a batch in evaluation mode. Training: forward and backward "
        "pass, measures\nand update. Memory: the growth of the process, or of LibTorch's on "
        "a GPU, network included.\n\n" +
        machine.text());
  }
  if (options.csv && !rows.empty()) writeFileDurably(*options.csv, encodeNetworkTable(rows));
  return failures.report();
}

}  // namespace

void addBenchNetworks(CLI::App& bench, Action& action) {
  const auto options = std::make_shared<NetworksOptions>();
  CLI::App* command = addCommand(
      bench,
      "networks",
      "Images per second and memory of networks, beside their parameters and FLOPs",
      {{"lambda bench networks resnet50-cifar resnet50-cifar-ccll --batch 32", "two networks"},
       {"lambda bench networks lambda-resnet-50 resnet-rs-50 --batch 8 --csv networks.csv",
        "also as a table, which the Runs page draws (tab Networks)"},
       {"lambda bench networks mobilenet-v2-0.5 --set architecture.input.height=96 --set "
        "architecture.input.width=96",
        "smaller images"}},
      "The images are random, in the size that each network takes, so that no data set is needed. "
      "By default each network is measured once, with all cores.");
  addPresetOptions(command, *options);
  addBatchOption(command, options->batch);
  command->add_option("--csv", options->csv, "also write the table to this file")
      ->type_name("FILE");
  addTurnOptions(command, *options);
  onChosen(command, options, action, runNetworks);
}

}  // namespace lambda
