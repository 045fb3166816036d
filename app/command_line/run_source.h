#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "engine/values/config/run_config.h"
#include "engine/values/fields/problem.h"
#include "engine/values/run/run_record.h"

namespace lambda {

/// --device and --threads.
struct DeviceOptions {
  std::optional<std::string> kind;  ///< "automatic", "cpu", "cuda" or "cuda:1".
  std::optional<int> threads;

  bool empty() const { return !kind && !threads; }
};

void addDeviceOptions(CLI::App* command, DeviceOptions& options);

/// The device of what findRun() has found, with these changes; nothing where there are none. Throws
/// UsageError, and Error as checkpointAt().
std::optional<DeviceConfig> deviceOf(const DeviceOptions& options,
                                     const std::filesystem::path& run);

/// Changes to a configuration from the command line.
struct ConfigOptions {
  std::vector<std::string> assignments;  ///< PATH=VALUE, applied after `data` and before the rest.
  std::optional<std::string> data;       ///< As for recognizeDataSource().
  std::optional<std::string> from;       ///< A run, or a file for readForeignWeights().
  std::optional<int> epochs;
  std::optional<std::uint64_t> seed;
  std::optional<std::string> name;
  DeviceOptions device;
};

/// --data PATH
void addDataOption(CLI::App* command, std::optional<std::string>& data);

/// --changed-data stop|warn; `choice` has the default.
void addChangedData(CLI::App& command, ChangedData& choice);

/// --set PATH=VALUE
void addSetOption(CLI::App* command, std::vector<std::string>& assignments);

/// --seed N
void addSeedOption(CLI::App* command,
                   std::optional<std::uint64_t>& seed,
                   const std::string& meaning);

/// --set and its short forms: --data, --from, --epochs, --seed, --name, --device, --threads.
void addConfigOptions(CLI::App* command, ConfigOptions& options);

/// Throws UsageError, and Error where the named data set is missing or is not recognised.
void applyOptions(RunConfig& config, const ConfigOptions& options);

/// Throws UsageError for a text that a run's files, which are UTF-8, can't contain.
void requireUtf8(const char* option, const std::string& text);

/// The folder that --out names for run folders. Throws UsageError where its full path is not UTF-8.
std::filesystem::path runsFolder(const std::string& out);

/// Prints a note on standard error for each folder in LAMBDA_PRESETS that does not exist.
void noteMissingPresets();

struct LoadedConfig {
  RunConfig config;
  std::vector<Problem> warnings;  ///< About unknown keys.
};

/// The configuration for `source`: a preset, a JSON file of a run or of a network alone, the folder
/// or run.json of a run, or the one that a checkpoint or exported weights carry. Throws UsageError.
LoadedConfig loadConfig(const std::string& source);

}  // namespace lambda
