#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "engine/values/problem.h"
#include "engine/values/run_config.h"

namespace lambda {

/// --device and --threads.
struct DeviceOptions {
  std::optional<std::string> kind;
  std::optional<int> threads;

  bool empty() const { return !kind && !threads; }
};

void addDeviceOptions(CLI::App* command, DeviceOptions& options);

/// Changes of a configuration that the command line makes.
struct ConfigOptions {
  std::vector<std::string> assignments;  ///< PATH=VALUE, applied after `data` and before the rest.
  std::optional<std::string> data;       ///< As recognizeDataSource() takes it.
  std::optional<int> epochs;
  std::optional<std::uint64_t> seed;
  std::optional<std::string> name;
  DeviceOptions device;
};

/// --data PATH
void addDataOption(CLI::App* command, std::optional<std::string>& data);

/// --set PATH=VALUE
void addSetOption(CLI::App* command, std::vector<std::string>& assignments);

/// --set and its short forms: --data, --epochs, --seed, --name, --device, --threads.
void addConfigOptions(CLI::App* command, ConfigOptions& options);

/// Throws UsageError, and Error where the named data set is not there or is not recognised.
void applyOptions(RunConfig& config, const ConfigOptions& options);

/// Throws UsageError for a text that can't stand in a run's files, which are UTF-8.
void requireUtf8(const char* option, const std::string& text);

/// The folder that --out names for run folders. Throws UsageError where its whole path is not
/// UTF-8.
std::filesystem::path runsFolder(const std::string& out);

/// Notes on standard error that LAMBDA_PRESETS names no folder.
void noteMissingPresets();

struct LoadedConfig {
  RunConfig config;
  std::vector<Problem> warnings;  ///< Of unknown keys.
};

/// The configuration that `source` names: a preset, a JSON file of a run or of a network alone, or
/// the folder or run.json of a run. Throws UsageError.
LoadedConfig loadConfig(const std::string& source);

}  // namespace lambda
