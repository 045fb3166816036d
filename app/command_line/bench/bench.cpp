#include <cmath>
#include <cstdio>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/command_line/commands/commands.h"
#include "app/command_line/report.h"
#include "app/command_line/text_table.h"
#include "engine/benchmarks/core_benchmark.h"
#include "engine/runtime/device.h"
#include "engine/training/environment.h"

namespace lambda {

namespace {

using Json = nlohmann::ordered_json;

struct BenchOptions {
  CoreBenchmarkOptions core;
  OutputOptions output;
};

std::string numberText(const char* format, double value) {
  char text[32];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string nameOf(const CoreCase& shape) {
  const std::string side = std::to_string(shape.side);
  return side + "x" + side + ", d " + std::to_string(shape.outputDepth);
}

Json toJson(const CoreBenchmark& benchmark) {
  Json timings = Json::array();
  for (const CoreTiming& timing : benchmark.timings) {
    timings.push_back({{"form", timing.form},
                       {"medianSeconds", timing.median},
                       {"p10Seconds", timing.low},
                       {"p90Seconds", timing.high},
                       {"relativeError", timing.error}});
  }
  return {{"side", benchmark.shape.side},
          {"outputDepth", benchmark.shape.outputDepth},
          {"queryDepth", benchmark.shape.queryDepth},
          {"heads", benchmark.shape.heads},
          {"timings", timings}};
}

/// The median of each form in milliseconds, and how many times as long as the fused one it took.
std::vector<std::string> rowOf(const CoreBenchmark& benchmark) {
  std::vector<std::string> cells{nameOf(benchmark.shape)};
  const double fused = benchmark.timings.front().median;
  for (const CoreTiming& timing : benchmark.timings) {
    std::string cell = numberText("%.3f", 1e3 * timing.median);
    if (&timing != &benchmark.timings.front())
      cell += numberText(" (%.1fx)", timing.median / fused);
    cells.push_back(cell);
  }
  return cells;
}

int runCore(const BenchOptions& options) {
  Json rows = Json::array();
  std::unique_ptr<TextTable> table;
  for (const CoreCase& shape : standardCoreCases()) {
    const CoreBenchmark benchmark = runCoreBenchmark(shape, options.core);
    rows.push_back(toJson(benchmark));
    if (!table) {
      std::vector<TextTable::Column> columns{{"map and depth"}};
      for (const CoreTiming& timing : benchmark.timings)
        columns.push_back({timing.form, TextTable::Align::right});
      table = std::make_unique<TextTable>(std::move(columns));
    }
    table->addRow(rowOf(benchmark));
  }
  const int threads = options.core.threads > 0 ? options.core.threads : availableCores();
  if (options.output.json) {
    printJson({{"benchmark", "core"},
               {"cpu", processorName()},
               {"torch", torchVersion()},
               {"threads", threads},
               {"batch", options.core.batch},
               {"repetitions", options.core.repetitions},
               {"cases", rows}});
    return kExitOk;
  }
  std::cout << "The lambda core, forward and backward, float32, batch " << options.core.batch
            << ", " << threads << " threads: milliseconds, and times the fused kernel's.\n\n"
            << table->text("  ");
  return kExitOk;
}

}  // namespace

void addBench(CLI::App& program, Action& action) {
  CLI::App* bench =
      addCommand(program,
                 "bench",
                 "Time parts of the engine against other ways to write them",
                 {{"lambda bench core", "the lambda core against plain ATen"}},
                 "Ratios of one run mean something; seconds of different machines do not.");
  bench->require_subcommand(1);
  const auto options = std::make_shared<BenchOptions>();
  CLI::App* core = addCommand(
      *bench,
      "core",
      "The lambda core: the fused kernel against einsum and matrix products",
      {{"lambda bench core --json", "all figures, with spread and distance from float64"}},
      "Every form is compared with float64 first; one that is wrong is not timed.");
  core->add_option("--batch", options->core.batch, "images")->check(CLI::Range(1, 4096));
  core->add_option("--repetitions", options->core.repetitions, "timed rounds of all forms")
      ->check(CLI::Range(3, 1000));
  core->add_option("--threads", options->core.threads, "0 = one a core")
      ->check(CLI::Range(0, 1024));
  addJsonFlag(core, options->output);
  onChosen(core, options, action, runCore);
}

}  // namespace lambda
