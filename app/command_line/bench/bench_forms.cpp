#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/command_line/bench/bench_machine.h"
#include "app/command_line/bench/bench_options.h"
#include "app/command_line/bench/bench_rows.h"
#include "app/command_line/progress_line.h"
#include "app/command_line/report.h"
#include "engine/benchmarks/core/core_benchmark.h"
#include "engine/benchmarks/core/core_order_names.h"
#include "engine/benchmarks/layer/layer_benchmark.h"
#include "engine/benchmarks/wkv/wkv_benchmark.h"
#include "engine/values/config/enum_names.h"
#include "engine/values/text/quantities.h"

namespace lambda {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kBatch = 128;
constexpr int kSequences = 8;

constexpr char kCpu[] = "cpu";

constexpr char kDeviceHelp[] = "where to compute: cpu (default) or cuda";

struct FormsOptions : BenchOptions {
  std::optional<std::string> device;
  std::optional<int> batch;
  std::optional<Precision> precision;
};

struct WkvFormsOptions : BenchOptions {
  std::optional<int> batch;
};

struct CoreFormsOptions : FormsOptions {
  CoreOrder order = CoreOrder::automatic;
};

/// The texts above and below the table of a report.
struct ReportTexts {
  std::string name;  ///< The command's name: "core".
  std::string title;
  std::string legend;
};

/// The legend of a GPU's table.
constexpr char kGpuFormsLegend[] =
    "Times are those of the GPU alone. Of floor: the time that its peaks allow, for the larger of "
    "FLOPs (of a\nlarge matrix product) and bytes (of a copy), as a share of ours. Called: ours "
    "from "
    "the call until the\nresult is complete, with the host's work.";

/// Measures all cases with each number of threads and reports them; `run(case, device, seed)`
/// returns the rows of one case. A case that fails is reported, and the others are measured.
template <class Case, class Run>
int reportCases(const std::vector<Case>& cases,
                const BenchOptions& options,
                const ComputeDevice& device,
                const ReportTexts& texts,
                const Run& run) {
  BenchMachine machine(device);
  ProgressLine line(options.output.quiet);
  const std::uint64_t seed = seedOf(options);
  const std::vector<int> threads = threadCounts(options, device);
  std::vector<BenchmarkRow> measured;
  BenchFailures failures;
  double done = 0;
  for (const int count : threads) {
    machine.measureCeilings(count);
    for (const Case& each : cases) {
      line.show({{texts.name, each.name(), formatCounted(count, "thread")},
                 done++ / static_cast<double>(cases.size() * threads.size())});
      failures.watch(each.name(), count, [&] {
        for (BenchmarkRow& row : run(each, machine.deviceWith(count), seed)) {
          measured.push_back(std::move(row));
        }
      });
      machine.measureCeilings(count);
    }
  }
  line.clear();
  std::vector<ReportedRow> rows;
  for (BenchmarkRow& row : measured) {
    const MachineCeilings& ceilings = machine.ceilings(row.threads);
    rows.push_back({std::move(row), ceilings});
    if (std::string fault = aboveCeilingText(rows.back()); !fault.empty()) {
      machine.addWarning(std::move(fault));
    }
  }
  if (options.output.json) {
    machine.printWarnings(line);
    Json list = Json::array();
    for (const ReportedRow& row : rows) list.push_back(rowJson(row));
    printJson({{"benchmark", texts.name},
               {"machine", machine.json()},
               {"seed", seed},
               {"rows", list},
               {"failures", failures.json()}});
  } else {
    printText(texts.title + "\n\n" + rowsText(rows) + "\n" +
              (device.kind == DeviceKind::cuda ? kGpuFormsLegend : texts.legend) + "\n\n" +
              machine.text());
  }
  return failures.report();
}

/// The options that core and layer share.
template <class Options>
Options measuredWith(const FormsOptions& options) {
  Options measured;
  measured.batch = options.batch.value_or(kBatch);
  measured.repetitions = options.repetitions;
  measured.secondsAtMost = options.seconds;
  measured.precision = options.precision.value_or(Precision::float32);
  return measured;
}

template <class Options>
std::string sizesText(const Options& measured) {
  return std::string(nameOf(measured.precision)) + ", batch " + std::to_string(measured.batch);
}

int runCore(const CoreFormsOptions& options) {
  auto measured = measuredWith<CoreBenchmarkOptions>(options);
  measured.order = options.order;
  const ReportTexts texts{
      "core",
      "The lambda core, " + sizesText(measured) +
          ": the fused kernel's milliseconds, and how many times as long the others take.",
      "Of peak: multiply-adds of the queries-first order, as a share of the float32 peak on "
      "registers alone;\nin bfloat16 of the peak in bfloat16, where that is higher.\n"
      "Extra memory: what the fused kernel needs beyond inputs, outputs and gradients.\n"
      "Order: which product the fused kernel computed first; under a window always the queries."};
  const std::vector<CoreCase> cases = chosenCases(standardCoreCases(), options);
  const ComputeDevice device = deviceOf(options.device.value_or(kCpu));
  if (device.kind == DeviceKind::cuda && options.order != CoreOrder::automatic)
    throw UsageError("--order", "is for the CPU: the GPU's kernel has one order");
  return reportCases(cases,
                     options,
                     device,
                     texts,
                     [&](const CoreCase& shape, const ComputeDevice& used, std::uint64_t seed) {
                       measured.device = used;
                       measured.seed = seed;
                       return runCoreBenchmark(shape, measured);
                     });
}

int runLayer(const FormsOptions& options) {
  auto measured = measuredWith<LayerBenchmarkOptions>(options);
  const ReportTexts texts{
      "layer",
      "The lambda layer, " + sizesText(measured) +
          ": its milliseconds, and how many times as long the others take.",
      "Of peak: multiply-adds of projections and core, as a share of the float32 peak on registers "
      "alone;\nin bfloat16 of the peak in bfloat16, where that is higher."};
  return reportCases(chosenCases(standardLayerCases(), options),
                     options,
                     deviceOf(options.device.value_or(kCpu)),
                     texts,
                     [&](const LayerCase& shape, const ComputeDevice& used, std::uint64_t seed) {
                       measured.device = used;
                       measured.seed = seed;
                       return runLayerBenchmark(shape, measured);
                     });
}

int runWkv(const WkvFormsOptions& options) {
  WkvBenchmarkOptions measured{.batch = options.batch.value_or(kSequences),
                               .repetitions = options.repetitions,
                               .secondsAtMost = options.seconds};
  const ReportTexts texts{
      "wkv",
      "The wkv of RWKV-4, float32, batch " + std::to_string(measured.batch) +
          ": the kernel's milliseconds, and how many times as long a loop takes.",
      "Of copying: the bytes of inputs and outputs a second, as a share of the bandwidth of "
      "copying "
      "in the memory."};
  return reportCases(chosenCases(standardWkvCases(), options),
                     options,
                     deviceOf(kCpu),
                     texts,
                     [&](const WkvCase& shape, const ComputeDevice& used, std::uint64_t seed) {
                       measured.device = used;
                       measured.seed = seed;
                       return runWkvBenchmark(shape, measured);
                     });
}

/// --order automatic|queriesFirst|lambdasFirst
void addOrderOption(CLI::App* command, CoreOrder& order) {
  command
      ->add_option_function<std::string>(
          "--order",
          [&order](const std::string& name) {
            const auto found = enumOf<CoreOrder>(name);
            if (!found)
              throw UsageError("--order " + name,
                               "is neither automatic, queriesFirst nor lambdasFirst");
            order = *found;
          },
          "order of the fused kernel's products: automatic, queriesFirst or lambdasFirst")
      ->type_name("ORDER");
}

constexpr char kChecked[] =
    "Output and all gradients of every implementation are first compared with float64 on random "
    "numbers; a wrong one is not timed. The implementations take turns, each on memory that the "
    "caches do not hold. tests/bench/README.md describes the protocol.";

}  // namespace

void addBenchCore(CLI::App& bench, Action& action) {
  const auto options = std::make_shared<CoreFormsOptions>();
  CLI::App* command = addCommand(
      bench,
      "core",
      "The lambda core: the fused kernel against einsum and matrix products",
      {{"lambda bench core", "all maps, forward and backward, with one thread and with all"},
       {"lambda bench core --only 8x8 --threads 2 --json", "some maps, with all numbers"},
       {"lambda bench core --order lambdasFirst", "the paper's order of the products"},
       {"lambda bench core --device cuda --batch 1024", "on a GPU"}},
      kChecked);
  addDeviceOption(command, options->device, kDeviceHelp);
  addBatchOption(command, options->batch);
  addPrecisionOption(command, options->precision);
  addCaseOptions(command, *options);
  addOrderOption(command, options->order);
  addTurnOptions(command, *options);
  onChosen(command, options, action, runCore);
}

void addBenchLayer(CLI::App& bench, Action& action) {
  const auto options = std::make_shared<FormsOptions>();
  CLI::App* command =
      addCommand(bench,
                 "layer",
                 "The whole lambda layer against the 3x3 convolution in its place",
                 {{"lambda bench layer", "float32"},
                  {"lambda bench layer --precision bfloat16", "the same in bfloat16"}},
                 kChecked);
  addDeviceOption(command, options->device, kDeviceHelp);
  addBatchOption(command, options->batch);
  addPrecisionOption(command, options->precision);
  addCaseOptions(command, *options);
  addTurnOptions(command, *options);
  onChosen(command, options, action, runLayer);
}

void addBenchWkv(CLI::App& bench, Action& action) {
  const auto options = std::make_shared<WkvFormsOptions>();
  CLI::App* command =
      addCommand(bench,
                 "wkv",
                 "The recurrence of RWKV-4 against a loop over the tokens",
                 {{"lambda bench wkv", "all sizes, with one thread and with all"},
                  {"lambda bench wkv --only d=768 --json", "one size, with all numbers"}},
                 kChecked);
  addBatchOption(command, options->batch);
  addCaseOptions(command, *options);
  addTurnOptions(command, *options);
  onChosen(command, options, action, runWkv);
}

}  // namespace lambda
