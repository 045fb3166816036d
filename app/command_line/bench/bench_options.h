#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "app/command_line/command.h"
#include "app/command_line/run_source.h"
#include "engine/runtime/device.h"
#include "engine/values/config/run_config.h"

namespace lambda {

/// The options of all parts of `lambda bench`.
struct BenchOptions {
  int repetitions = 50;
  double seconds = 20;       ///< Upper limit for the turns of one case.
  std::vector<int> threads;  ///< Empty = one thread, and one per core; on a GPU only the latter.
  std::string only;          ///< Selects cases whose names contain this text; empty = all.
  std::optional<std::uint64_t> seed;
  OutputOptions output;
};

/// --repetitions, --seconds, --threads, --json and --quiet.
void addTurnOptions(CLI::App* command, BenchOptions& options);

/// --only and --seed.
void addCaseOptions(CLI::App* command, BenchOptions& options);

/// The networks to train and the changes to their configurations.
struct PresetOptions : BenchOptions {
  std::vector<std::string> presets = {"quickstart", "cpu-hybrid", "tudelft-lambda"};
  std::optional<int> batch;
  std::optional<Precision> precision;
  ConfigOptions config;
};

/// PRESET..., --precision, --data, --set and --device.
void addPresetOptions(CLI::App* command, PresetOptions& options);

/// The configuration of a preset or file with the options' changes. Throws UsageError, and
/// InvalidConfiguration for a configuration that can't be trained.
RunConfig configOf(const std::string& preset, const PresetOptions& options, int threads);

/// --batch N
void addBatchOption(CLI::App* command, std::optional<int>& batch);

/// --precision float32|bfloat16, and also automatic where whole trainings are measured.
void addPrecisionOption(CLI::App* command,
                        std::optional<Precision>& precision,
                        bool mayBeAutomatic = false);

/// --device DEVICE
void addDeviceOption(CLI::App* command, std::optional<std::string>& device, const char* help);

/// The device that `name` chooses: automatic, cpu or cuda. Throws UsageError for another name, and
/// Error for a device that is missing.
ComputeDevice deviceOf(const std::string& name);

/// The device of the first preset, with the options' changes. Throws as configOf() and deviceOf().
ComputeDevice deviceOf(const PresetOptions& options);

/// The thread counts to measure with on a device, each once.
std::vector<int> threadCounts(const BenchOptions& options, const ComputeDevice& device);

/// The requested seed, or a random one.
std::uint64_t seedOf(const BenchOptions& options);

/// The cases that match `only`. Throws UsageError where there are none.
template <class Case>
std::vector<Case> chosenCases(std::vector<Case> cases, const BenchOptions& options) {
  std::erase_if(
      cases, [&](const Case& each) { return each.name().find(options.only) == std::string::npos; });
  if (cases.empty())
    throw UsageError("--only " + options.only, "no case has a name that contains this text");
  return cases;
}

// Each function adds one command below `bench`.

void addBenchCore(CLI::App& bench, Action& action);
void addBenchLayer(CLI::App& bench, Action& action);
void addBenchWkv(CLI::App& bench, Action& action);
void addBenchStep(CLI::App& bench, Action& action);
void addBenchEvaluation(CLI::App& bench, Action& action);
void addBenchNetworks(CLI::App& bench, Action& action);
void addBenchScaling(CLI::App& bench, Action& action);
void addBenchData(CLI::App& bench, Action& action);
void addBenchGui(CLI::App& bench, Action& action);

}  // namespace lambda
