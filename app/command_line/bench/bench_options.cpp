#include "app/command_line/bench/bench_options.h"

#include <algorithm>
#include <cstdlib>
#include <random>

#include "engine/values/config/enum_names.h"
#include "engine/values/config/validate.h"

namespace lambda {

void addTurnOptions(CLI::App* command, BenchOptions& options) {
  command->add_option("--repetitions", options.repetitions, "timed turns of each implementation")
      ->check(CLI::Range(3, 10'000))
      ->type_name("N");
  command->add_option("--seconds", options.seconds, "seconds after which a case with 5 turns ends")
      ->check([](const std::string& text) -> std::string {
        return std::atof(text.c_str()) > 0 ? "" : text + " is no number of seconds above 0";
      })
      ->type_name("S");
  command
      ->add_option("--threads",
                   options.threads,
                   "thread counts, e.g. 1,2 (default: 1 and all; on a GPU all)")
      ->delimiter(',')
      ->check(CLI::Range(1, 1024))
      ->type_name("N,...");
  addOutputFlags(command, options.output);
}

void addCaseOptions(CLI::App* command, BenchOptions& options) {
  command->add_option("--only", options.only, "only cases whose names contain this text, e.g. 8x8")
      ->type_name("TEXT");
  command->add_option("--seed", options.seed, "seed of the tensors (default: random, and reported)")
      ->type_name("N");
}

void addPresetOptions(CLI::App* command, PresetOptions& options) {
  command->add_option(
      "PRESET|FILE", options.presets, "presets or JSON files (default: those for the CPU)");
  addPrecisionOption(command, options.precision, /*mayBeAutomatic=*/true);
  command->add_option("--data", options.config.data, "shapes10, cifar10, or where a data set lies")
      ->type_name("PATH");
  addDeviceOption(command, options.config.device.kind, "where to compute: automatic, cpu or cuda");
  addSetOption(command, options.config.assignments);
}

RunConfig configOf(const std::string& preset, const PresetOptions& options, int threads) {
  RunConfig config = loadConfig(preset).config;
  applyOptions(config, options.config);
  config.device.threads = threads;
  if (options.batch) config.recipe.batchSize = *options.batch;
  if (options.precision) config.recipe.precision = *options.precision;
  const std::vector<Problem> problems = validate(config);
  if (hasErrors(problems)) throw InvalidConfiguration(preset, problems);
  return config;
}

void addBatchOption(CLI::App* command, std::optional<int>& batch) {
  command->add_option("--batch", batch, "images in a batch")
      ->check(CLI::Range(1, 4096))
      ->type_name("N");
}

void addPrecisionOption(CLI::App* command,
                        std::optional<Precision>& precision,
                        bool mayBeAutomatic) {
  command
      ->add_option_function<std::string>(
          "--precision",
          [&precision, mayBeAutomatic](const std::string& name) {
            precision = enumOf<Precision>(name);
            if (precision && (mayBeAutomatic || *precision != Precision::automatic)) return;
            throw UsageError("--precision " + name,
                             mayBeAutomatic ? "is none of float32, bfloat16 and automatic"
                                            : "is neither float32 nor bfloat16");
          },
          mayBeAutomatic ? "float32, bfloat16 or automatic: the faster of them here"
                         : "float32 or bfloat16")
      ->type_name("TYPE");
}

void addDeviceOption(CLI::App* command, std::optional<std::string>& device, const char* help) {
  command->add_option("--device", device, help)->type_name("DEVICE");
}

ComputeDevice deviceOf(const std::string& name) {
  ConfigOptions options;
  options.device.kind = name;
  RunConfig config;
  applyOptions(config, options);
  return selectDevice(config.device);
}

ComputeDevice deviceOf(const PresetOptions& options) {
  return selectDevice(configOf(options.presets.front(), options, /*threads=*/0).device);
}

std::vector<int> threadCounts(const BenchOptions& options, const ComputeDevice& device) {
  std::vector<int> counts = options.threads;
  if (counts.empty() && device.kind == DeviceKind::cuda) counts = {availableCores()};
  if (counts.empty()) counts = {1, availableCores()};
  std::ranges::sort(counts);
  counts.erase(std::ranges::unique(counts).begin(), counts.end());
  return counts;
}

std::uint64_t seedOf(const BenchOptions& options) {
  return options.seed.value_or(std::random_device()());
}

}  // namespace lambda
