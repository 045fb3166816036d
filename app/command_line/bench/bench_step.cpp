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
#include "engine/benchmarks/step_benchmark.h"
#include "engine/values/config/enum_names.h"
#include "engine/values/text/quantities.h"
#include "engine/values/text/text_safety.h"

namespace lambda {

namespace {

using Json = nlohmann::ordered_json;

constexpr char kCpuStepLegend[] =
    "Medians in milliseconds. Of peak: multiply-adds of three forward passes as a share of the\n"
    "float32 peak on registers, without the data; in bfloat16 of the peak in bfloat16, where that\n"
    "is higher. Convolutions count as plain sums, although Winograd's filtering computes fewer.\n"
    "Peak memory: the growth of the process, network included.";

constexpr char kGpuStepLegend[] =
    "Medians in milliseconds. Each part ends with a synchronisation; steps in a run overlap. Of "
    "peak:\nmultiply-adds of three forward passes in a run as a share of the rate of a large "
    "matrix "
    "product in\nthis precision. Peak memory: what LibTorch had on the GPU, without the data set.";

struct StepOptions : PresetOptions {
  bool withoutTwin = false;
  std::optional<std::string> recording;
};

double imagesPerSecond(const StepBenchmark& benchmark, const Timing& step) {
  return step.median > 0 ? benchmark.batch / step.median : 0;
}

/// The steps as in a run where they were timed, else the steps alone.
const Timing& stepOf(const NetworkSteps& network) {
  return network.inARun ? network.inARun->step : network.step;
}

double peakShare(const StepBenchmark& benchmark,
                 const NetworkSteps& network,
                 const MachineCeilings& ceilings) {
  const Timing& timing = network.inARun ? network.inARun->step : network.withoutData;
  const double most = ceilings.peakOf(benchmark.precision) * timing.median;
  return most > 0 ? network.flops / most : 0;
}

Json millisecondsJson(const Timing& timing) {
  return {{"p10", kMsPerSecond * timing.low},
          {"p50", kMsPerSecond * timing.median},
          {"p90", kMsPerSecond * timing.high},
          {"p95", kMsPerSecond * timing.tail}};
}

Json inARunJson(const StepBenchmark& benchmark, const NetworkSteps& network) {
  if (!network.inARun) return nullptr;
  const PipelinedSteps& steps = *network.inARun;
  Json launches = nullptr;
  if (steps.launches)
    launches = {{"kernels", steps.launches->kernels}, {"transfers", steps.launches->transfers}};
  return {{"imagesPerSecond", imagesPerSecond(benchmark, steps.step)},
          {"stepMs", millisecondsJson(steps.step)},
          {"hostMs", millisecondsJson(steps.host)},
          {"cudaGraph", steps.launches.has_value()},
          {"launches", launches}};
}

/// One line for each network that was timed like in a run.
std::string inARunText(const StepBenchmark& benchmark) {
  std::string text;
  for (const NetworkSteps& network : benchmark.networks) {
    if (!network.inARun) continue;
    const PipelinedSteps& steps = *network.inARun;
    text +=
        "\n  " + network.name + " in a run, " +
        (steps.launches ? "as a CUDA graph of " + formatCounted(steps.launches->kernels, "kernel") +
                              " and " + formatCounted(steps.launches->transfers, "transfer")
                        : "queued operation by operation") +
        ": " + formatFixed(imagesPerSecond(benchmark, steps.step), 1) + " images/s, " +
        millisecondsText(steps.step.median) + " ms a step, the host busy for " +
        millisecondsText(steps.host.median) + " of them\n";
  }
  return text;
}

Json networkJson(const StepBenchmark& benchmark,
                 const NetworkSteps& network,
                 const MachineCeilings& ceilings) {
  const StepParts& parts = network.parts;
  Json paths = Json::object();
  for (const NetworkPath& layer : network.paths) paths[layer.name] = layer.path;
  return {
      {"name", network.name},
      {"parameters", network.parameters},
      {"imagesPerSecond", imagesPerSecond(benchmark, network.step)},
      {"imagesPerSecondWithoutData", imagesPerSecond(benchmark, network.withoutData)},
      {"stepMs", millisecondsJson(network.step)},
      {"withoutDataMs", millisecondsJson(network.withoutData)},
      {"partsMs",
       {{"data", kMsPerSecond * parts.data.median},
        {"forward", kMsPerSecond * parts.forward.median},
        {"backward", kMsPerSecond * parts.backward.median},
        {"measures", kMsPerSecond * parts.measures.median},
        {"update", kMsPerSecond * parts.update.median}}},
      {"flops", network.flops},
      {ceilings.device.kind == DeviceKind::cuda ? "shareOfProductPeak" : "shareOfMultiplyAddPeak",
       peakShare(benchmark, network, ceilings)},
      {"inARun", inARunJson(benchmark, network)},
      {"peakBytes", network.peakBytes ? Json(*network.peakBytes) : Json(nullptr)},
      {"firstLoss", network.firstLoss},
      {"lastLoss", network.lastLoss},
      {"paths", paths}};
}

Json benchmarkJson(const std::string& name,
                   const StepBenchmark& benchmark,
                   const MachineCeilings& ceilings) {
  const double ours = stepOf(benchmark.networks.front()).median;
  Json rivals = Json::object(), ratio = Json::object(), networks = Json::array();
  for (const NetworkSteps& network : benchmark.networks) {
    networks.push_back(networkJson(benchmark, network, ceilings));
    if (&network == &benchmark.networks.front()) continue;
    rivals[network.name] = kMsPerSecond * stepOf(network).median;
    ratio[network.name] = stepOf(network).median / ours;
  }
  return {{"case", name + " step"},
          {"ours", kMsPerSecond * ours},
          {"rivals", rivals},
          {"ratio", ratio},
          {"threads", benchmark.threads},
          {"batch", benchmark.batch},
          {"precision", nameOf(benchmark.precision)},
          {"device", benchmark.device},
          {"syntheticData", benchmark.syntheticData},
          {"repetitions", benchmark.repetitions},
          {"networks", networks}};
}

std::string benchmarkText(const std::string& name,
                          const StepBenchmark& benchmark,
                          const MachineCeilings& ceilings) {
  using Align = TextTable::Align;
  TextTable table({{"network"},
                   {"images/s", Align::right},
                   {"step, ms", Align::right},
                   {"p95", Align::right},
                   {"data", Align::right},
                   {"forward", Align::right},
                   {"backward", Align::right},
                   {"measures", Align::right},
                   {"update", Align::right},
                   {"of peak", Align::right},
                   {"peak memory", Align::right}});
  for (const NetworkSteps& network : benchmark.networks) {
    const StepParts& parts = network.parts;
    table.addRow({network.name,
                  formatFixed(imagesPerSecond(benchmark, network.step), 1),
                  millisecondsText(network.step.median),
                  millisecondsText(network.step.tail),
                  millisecondsText(parts.data.median),
                  millisecondsText(parts.forward.median),
                  millisecondsText(parts.backward.median),
                  millisecondsText(parts.measures.median),
                  millisecondsText(parts.update.median),
                  formatPercent(peakShare(benchmark, network, ceilings), 0),
                  network.peakBytes ? formatBytes(*network.peakBytes) : ""});
  }
  std::string text = name + ", batch " + std::to_string(benchmark.batch) + ", " +
                     std::string(nameOf(benchmark.precision)) + ", " + benchmark.device + ", " +
                     formatCounted(benchmark.threads, "thread") +
                     (benchmark.syntheticData ? ", random pixels for its data" : "") + "\n\n" +
                     table.text("  ");
  if (benchmark.networks.size() > 1) {
    text += "\n  The convolution twin takes " +
            formatFixed(stepOf(benchmark.networks[1]).median / stepOf(benchmark.networks[0]).median,
                        2) +
            " times as long.\n";
  }
  return text + inARunText(benchmark) + "\n";
}

int record(const StepOptions& options) {
  const std::vector<int> threads = threadCounts(options, deviceOf(options));
  if (options.presets.size() != 1 || threads.size() != 1) {
    throw UsageError("--record",
                     "is for one network and one number of threads",
                     "lambda bench step tudelft-lambda --threads 2 --record steps.safetensors");
  }
  const RunConfig config = configOf(options.presets.front(), options, threads.front());
  recordSteps(config, options.repetitions, *options.recording);
  if (options.output.json) {
    printJson({{"recording", *options.recording}, {"steps", options.repetitions}});
  } else {
    printText(terminalText(*options.recording) + ": " + formatCounted(options.repetitions, "step") +
              "\n");
  }
  return kExitOk;
}

int runStep(const StepOptions& options) {
  if (options.recording) return record(options);
  const ComputeDevice device = deviceOf(options);
  BenchMachine machine(device);
  ProgressLine line(options.output.quiet);
  StepBenchmarkOptions measured;
  measured.repetitions = options.repetitions;
  measured.secondsAtMost = options.seconds;
  measured.withTwin = !options.withoutTwin;

  struct Measured {
    std::string name;
    int threads;
    StepBenchmark benchmark;
  };

  std::vector<Measured> all;
  BenchFailures failures;
  double done = 0;
  const std::vector<int> threads = threadCounts(options, device);
  for (const int count : threads) {
    machine.measureCeilings(count);
    for (const std::string& preset : options.presets) {
      line.show({{"step", preset, formatCounted(count, "thread")},
                 done++ / static_cast<double>(options.presets.size() * threads.size())});
      const RunConfig config = configOf(preset, options, count);
      failures.watch(config.name, count, [&] {
        all.push_back({config.name, count, runStepBenchmark(config, measured)});
      });
      machine.measureCeilings(count);
    }
  }
  line.clear();
  Json rows = Json::array();
  std::string text;
  for (const auto& [name, count, benchmark] : all) {
    const MachineCeilings& ceilings = machine.ceilings(count);
    rows.push_back(benchmarkJson(name, benchmark, ceilings));
    text += benchmarkText(terminalText(name), benchmark, ceilings);
  }
  if (options.output.json) {
    machine.printWarnings(line);
    printJson({{"benchmark", "step"},
               {"machine", machine.json()},
               {"rows", rows},
               {"failures", failures.json()}});
  } else {
    printText(text + (device.kind == DeviceKind::cuda ? kGpuStepLegend : kCpuStepLegend) + "\n\n" +
              machine.text());
  }
  return failures.report();
}

}  // namespace

void addBenchStep(CLI::App& bench, Action& action) {
  const auto options = std::make_shared<StepOptions>();
  options->seconds = 60;
  CLI::App* command = addCommand(
      bench,
      "step",
      "Whole training steps, part by part, and those of the convolution twin",
      {{"lambda bench step", "the presets that two CPU cores can train"},
       {"lambda bench step tudelft-lambda --precision bfloat16", "one preset, in bfloat16"},
       {"lambda bench step tudelft-lambda --threads 2 --record steps.safetensors",
        "times nothing: writes the data to train the same steps elsewhere"}},
      "A step is what the trainer does for a batch: data, forward pass and loss, backward pass, "
      "accuracy and norm of the gradients, optimiser and average. The twin has a 3x3 convolution "
      "in place of every lambda layer.");
  addPresetOptions(command, *options);
  addBatchOption(command, options->batch);
  command->add_flag("--no-twin", options->withoutTwin, "leave the convolution twin out");
  command
      ->add_option("--record",
                   options->recording,
                   "time nothing; write weights, batches and losses of steps")
      ->type_name("FILE");
  addTurnOptions(command, *options);
  onChosen(command, options, action, runStep);
}

}  // namespace lambda
