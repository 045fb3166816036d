#include "app/command_line/run_source.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>
#include <variant>

#include "app/command_line/command.h"
#include "app/command_line/report.h"
#include "app/command_line/run_location.h"
#include "engine/data/sources/data_sources.h"
#include "engine/formats/files/durable_file.h"
#include "engine/formats/json/config_json.h"
#include "engine/formats/json/config_override.h"
#include "engine/formats/json/presets.h"
#include "engine/formats/json/run_json.h"
#include "engine/formats/tensors/checkpoint_file.h"
#include "engine/runs/run_folder.h"
#include "engine/values/config/enum_names.h"
#include "engine/values/text/text_safety.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

constexpr std::uint64_t kMaxConfigBytes = 1 << 20;
constexpr char kRecordName[] = "run.json";

/// Whether `source` is a file. A preset's name wins over a file or folder with the same name.
bool namesFile(const std::string& source) {
  if (source.find('/') != std::string::npos || source.ends_with(".json")) return true;
  const std::vector<std::string> presets = presetNames();
  std::error_code error;
  return std::find(presets.begin(), presets.end(), source) == presets.end() &&
         fs::exists(source, error);
}

RunConfig configOf(std::variant<Architecture, RunConfig> document, const fs::path& file) {
  if (auto* run = std::get_if<RunConfig>(&document)) return std::move(*run);
  RunConfig config;
  config.architecture = std::get<Architecture>(std::move(document));
  config.name = config.architecture.name.empty() ? documentName(file) : config.architecture.name;
  return config;
}

LoadedConfig readConfig(fs::path file) {
  std::error_code error;
  if (fs::is_directory(file, error)) {
    const fs::path experiment = file / "experiment.json";
    file = fs::exists(experiment, error) ? experiment : file / kRecordName;
  }
  LoadedConfig loaded;
  if (file.extension() == ".safetensors") {
    loaded.config = readCheckpointHeader(file).config;
    return loaded;
  }
  if (file.filename() == kRecordName) {
    loaded.config = readRunRecord(file, loaded.warnings).config;
    return loaded;
  }
  const std::string text = readFile(file, kMaxConfigBytes);
  loaded.config = configOf(documentFromJson(text, file.string(), loaded.warnings), file);
  if (loaded.config.name.empty()) loaded.config.name = documentName(file);
  return loaded;
}

/// The settings that "cpu", "cuda" or "cuda:1" stand for. A device without a number is the first.
std::vector<std::string> deviceSettings(const std::string& device) {
  const std::string gpu = std::string(nameOf(DeviceKind::cuda)) + ":";
  if (!device.starts_with(gpu)) return {"device.kind=" + device, "device.index=0"};
  return {"device.kind=cuda", "device.index=" + device.substr(gpu.size())};
}

}  // namespace

void addDeviceOptions(CLI::App* command, DeviceOptions& options) {
  command
      ->add_option("--device",
                   options.kind,
                   "where to compute: automatic (default), cpu, cuda, or cuda:1 for the second GPU")
      ->type_name("DEVICE");
  command->add_option("--threads", options.threads, "threads for tensor work; 0 = one per core")
      ->type_name("N");
}

void addSetOption(CLI::App* command, std::vector<std::string>& assignments) {
  command
      ->add_option(
          "--set", assignments, "change one setting, e.g. recipe.batchSize=64; as often as needed")
      ->type_name("PATH=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void addDataOption(CLI::App* command, std::optional<std::string>& data) {
  command
      ->add_option(
          "--data",
          data,
          "shapes10, cifar10, recall, copy, or where a data set lies: CIFAR-10, CIFAR-100, IDX "
          "files, a folder of pictures, or text")
      ->type_name("PATH");
}

void addChangedData(CLI::App& command, ChangedData& choice) {
  const std::string usual(nameOf(choice));
  command
      .add_option_function<std::string>(
          "--changed-data",
          [&choice](const std::string& text) {
            choice = enumOf<ChangedData>(text).value_or(choice);
          },
          "if the data has changed since the run was trained: stop or warn (default: " + usual +
              ")")
      ->check(CLI::IsMember(kNamesOf<ChangedData>.names))
      ->type_name("CHOICE");
}

void addSeedOption(CLI::App* command,
                   std::optional<std::uint64_t>& seed,
                   const std::string& meaning) {
  // CLI11 would read -1 as the largest number.
  command->add_option("--seed", seed, meaning)->type_name("N")->check([](const std::string& text) {
    return text.starts_with('-') ? "--seed: a seed is a whole number from 0, not " + text : "";
  });
}

void addConfigOptions(CLI::App* command, ConfigOptions& options) {
  addDataOption(command, options.data);
  command
      ->add_option("--from",
                   options.from,
                   "start from these weights: a run, or a safetensors or .pt file; see "
                   "start.frozenStages and start.backboneRate")
      ->type_name("FILE|RUN");
  command->add_option("--epochs", options.epochs, "passes over the training images")
      ->type_name("N");
  addSeedOption(command, options.seed, "seed of weights, data order and augmentation");
  command->add_option("--name", options.name, "name of the run")->type_name("NAME");
  addDeviceOptions(command, options.device);
  addSetOption(command, options.assignments);
}

namespace {

/// Sequences have a validation set of their own, all of which is used, however long the text is. A
/// number that was asked for stays: the check of the data says which one fits.
void useOwnValidation(DataConfig& data, const std::vector<std::string>& assignments) {
  const bool isAsked = std::ranges::any_of(assignments, [](const std::string& assignment) {
    return assignment.starts_with("data.validationCount=");
  });
  if (isAsked || !traitsOf(data.source).isSequences) return;
  try {
    data.validationCount = probeDataset(data.source).validationCount;
  } catch (const Error&) {
    // The check of the data, which follows, says what is wrong with it.
  }
}

}  // namespace

void applyOptions(RunConfig& config, const ConfigOptions& options) {
  const auto set = [&](const std::string& assignment, const char* option) {
    try {
      applyOverride(config, assignment);
    } catch (const Error& error) {
      throw UsageError(option, error.place() + ": " + error.reason(), error.hint());
    }
  };
  if (options.data) requireUtf8("--data", *options.data);
  if (options.name) requireUtf8("--name", *options.name);
  if (options.from) {
    const std::string weights =
        checkpointOf(findRun(*options.from), CheckpointChoice::best).string();
    requireUtf8("--from", weights);
    config.start.weights = weights;
    config.start.sha256.clear();
  }
  // Applied first, so that --set can change the settings of this kind of data set.
  if (options.data) config.data.source = recognizeDataSource(*options.data, config.data.source);
  for (const std::string& assignment : options.assignments) set(assignment, "--set");
  useOwnValidation(config.data, options.assignments);
  if (options.name) config.name = *options.name;
  if (options.seed) config.seed = *options.seed;
  if (options.epochs) set("recipe.epochs=" + std::to_string(*options.epochs), "--epochs");
  if (options.device.kind) {
    for (const std::string& setting : deviceSettings(*options.device.kind)) {
      set(setting, "--device");
    }
  }
  if (options.device.threads) {
    set("device.threads=" + std::to_string(*options.device.threads), "--threads");
  }
}

std::optional<DeviceConfig> deviceOf(const DeviceOptions& options, const fs::path& run) {
  if (options.empty()) return std::nullopt;
  RunConfig config = readCheckpointHeader(checkpointAt(run)).config;
  ConfigOptions changes;
  changes.device = options;
  applyOptions(config, changes);
  return config.device;
}

void requireUtf8(const char* option, const std::string& text) {
  if (isUtf8(text)) return;
  throw UsageError(option,
                   terminalText(text) + " is not UTF-8 text, which a run's files need",
                   "Choose another name, or rename the folder.");
}

fs::path runsFolder(const std::string& out) {
  std::error_code error;
  const fs::path absolute = fs::absolute(out, error);
  requireUtf8("--out", error ? out : absolute.string());
  return out;
}

void noteMissingPresets() {
  const std::string missing = missingPresetFolder();
  if (missing.empty()) return;
  printNote("lambda: LAMBDA_PRESETS: there is no folder " + terminalText(missing) +
            ", so only the program's own presets are available\n");
}

LoadedConfig loadConfig(const std::string& source) {
  noteMissingPresets();
  try {
    if (namesFile(source)) return readConfig(source);
    LoadedConfig loaded;
    loaded.config = loadPreset(source, loaded.warnings);
    if (loaded.config.name.empty()) loaded.config.name = source;
    return loaded;
  } catch (const Error& error) {
    throw UsageError(error);
  }
}

}  // namespace lambda
