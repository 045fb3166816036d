#include "engine/training/trainer.h"

#include <c10/util/Exception.h>

#include "engine/formats/files/durable_file.h"
#include "engine/formats/json/run_json.h"
#include "engine/runtime/environment.h"
#include "engine/runtime/error.h"
#include "engine/training/step/precision.h"
#include "engine/training/training_loop.h"
#include "engine/training/whiten_stem.h"
#include "engine/values/cost.h"
#include "engine/values/validate.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

RunRecord recordOf(const RunConfig& config,
                   const ComputeDevice& device,
                   const PrecisionRates& rates) {
  const NetworkCost cost = costOf(config.architecture);
  RunRecord record;
  record.config = config;
  record.environment = currentEnvironment(device, rates);
  record.parameters = cost.parameters;
  record.flops = cost.flops;
  record.pattern = patternOf(config.architecture);
  return record;
}

/// With the place of the data written so that it holds from any working folder.
RunConfig withAbsoluteData(RunConfig config) {
  if (std::string* path = pathOf(config.data.source)) {
    *path = fs::absolute(*path).lexically_normal().string();
  }
  return config;
}

std::string nameOfRun(const RunConfig& config) {
  return config.name.empty() ? config.architecture.name : config.name;
}

/// Where a run computes and why there, and in which precision where that was left to the device.
std::string placeText(const ComputeDevice& device,
                      Precision precision,
                      const PrecisionRates& rates) {
  return rates.wereMeasured() ? device.reason + "; " + precisionText(precision, rates)
                              : device.reason;
}

std::optional<ThreadGovernor> governorOf(const RunConfig& config, const ComputeDevice& device) {
  const bool governs = config.device.yieldsToOthers && config.device.threads == 0 &&
                       device.kind == DeviceKind::cpu && device.threads > 1;
  return governs ? std::optional<ThreadGovernor>(device.threads) : std::nullopt;
}

/// Data, fresh state and a new folder; the folder comes last, so that a start that can't be leaves
/// none behind.
TrainingLoop::Parts prepareNew(const RunConfig& config,
                               const ComputeDevice& device,
                               const PrecisionRates& rates,
                               std::unique_ptr<RunData> data,
                               std::unique_ptr<TrainingState> state,
                               const fs::path& runsFolder,
                               Observer& observer) {
  RunFolder folder = RunFolder::create(runsFolder, nameOfRun(config));
  auto lock = std::make_unique<RunLock>(folder);
  RunRecord record = recordOf(config, device, rates);
  writeRunRecord(folder.record(), record);
  auto journal = std::make_unique<RunJournal>(folder, observer);
  CudaGraphPlugin graphs = cudaGraphsFor(config.device, *state);
  return {std::move(folder),
          std::move(lock),
          std::move(record),
          std::move(data),
          std::move(state),
          std::move(journal),
          governorOf(config, device),
          std::move(graphs)};
}

/// The newest checkpoint that is whole, loaded into `state`; what was passed over is appended to
/// `damage`.
fs::path loadNewest(const RunFolder& folder, TrainingState& state, std::string& damage) {
  for (const fs::path& path : folder.checkpointsNewestFirst()) {
    try {
      state.load(path);
      return path;
    } catch (const Error& error) {
      damage += std::string(damage.empty() ? "" : "\n") + error.what();
    }
  }
  throw Error(folder.path().string(),
              damage.empty() ? "the run has no checkpoint to resume from"
                             : "none of its checkpoints can be used:\n" + damage,
              "start it again with: lambda train " + folder.record().string());
}

}  // namespace

void requireTrainable(const RunConfig& config) {
  const std::vector<Problem> problems = validate(config);
  if (hasErrors(problems))
    throw Error("configuration", "it can't be trained:\n" + toText(problems));
}

RunResult trainRun(const RunConfig& wanted,
                   const fs::path& runsFolder,
                   RunControl& control,
                   Observer& observer) {
  requireTrainable(wanted);
  RunConfig config = withAbsoluteData(wanted);
  const ComputeDevice device = selectDevice(config.device);
  useThreads(device);
  const PrecisionRates rates = resolvePrecision(config.recipe, device);
  auto data = std::make_unique<RunData>(config, torchDevice(device));
  auto state = std::make_unique<TrainingState>(config, device);
  whitenStem(*state, *data);
  TrainingLoop loop(
      prepareNew(config, device, rates, std::move(data), std::move(state), runsFolder, observer),
      control,
      observer);
  return loop.run(EventKind::started, placeText(device, config.recipe.precision, rates));
}

RunResult resumeRun(const fs::path& run,
                    const ResumeOptions& options,
                    RunControl& control,
                    Observer& observer) {
  RunFolder folder = RunFolder::open(run);
  auto lock = std::make_unique<RunLock>(folder);
  sweepTemporaries(folder.path());
  sweepTemporaries(folder.checkpoints());
  std::vector<Problem> warnings;
  RunRecord record = readRunRecord(folder.record(), warnings);
  if (options.epochs) record.config.recipe.epochs = *options.epochs;
  if (options.device) record.config.device = *options.device;
  requireTrainable(record.config);

  const ComputeDevice device = selectDevice(record.config.device);
  useThreads(device);
  // Only a record of other origin leaves it open.
  const PrecisionRates rates = resolvePrecision(record.config.recipe, device);
  if (rates.wereMeasured()) record.environment.precisionRates = rates;
  auto data = std::make_unique<RunData>(record.config, torchDevice(device));
  auto state = std::make_unique<TrainingState>(record.config, device);
  std::string damage;
  const fs::path checkpoint = loadNewest(folder, *state, damage);
  if (state->progress.epoch >= record.config.recipe.epochs && record.testAccuracy) {
    throw Error(
        folder.path().string(),
        "the run has done all of its " + std::to_string(record.config.recipe.epochs) + " epochs",
        "continue it with --epochs and a larger number");
  }
  auto journal = std::make_unique<RunJournal>(folder, observer);
  journal->rewind(state->progress.metricsBytes, state->progress.step);

  std::string text = "from " + checkpoint.filename().string() + ", " +
                     placeText(device, record.config.recipe.precision, rates);
  const Environment now = currentEnvironment(device);
  if (now.threads != record.environment.threads || now.device != record.environment.device ||
      now.torch != record.environment.torch || now.cpu != record.environment.cpu) {
    text += "; the machine, thread count or LibTorch differ from the first start's: not bit-exact";
  } else if (record.environment.threadChanges > 0) {
    text += "; the number of threads changed while it trained: not bit-exact";
  }
  if (!damage.empty()) text += "; passed over damaged checkpoints:\n" + damage;
  auto governor = governorOf(record.config, device);
  CudaGraphPlugin graphs = cudaGraphsFor(record.config.device, *state);
  TrainingLoop loop({std::move(folder),
                     std::move(lock),
                     std::move(record),
                     std::move(data),
                     std::move(state),
                     std::move(journal),
                     std::move(governor),
                     std::move(graphs)},
                    control,
                    observer);
  return loop.run(EventKind::resumed, text);
}

RunResult forkRun(const fs::path& checkpoint,
                  const RunConfig& wanted,
                  const fs::path& runsFolder,
                  RunControl& control,
                  Observer& observer) {
  requireTrainable(wanted);
  RunConfig config = withAbsoluteData(wanted);
  const ComputeDevice device = selectDevice(config.device);
  useThreads(device);
  const PrecisionRates rates = resolvePrecision(config.recipe, device);
  auto data = std::make_unique<RunData>(config, torchDevice(device));
  auto state = std::make_unique<TrainingState>(config, device);
  const std::vector<std::string> left = state->adopt(checkpoint, config);
  // A position in the middle of an epoch has no meaning for another batch size or another split.
  if (state->progress.batch > 0) {
    state->progress.batch = 0;
    state->progress.epochSeconds = 0;
    state->progress.epochDataSeconds = 0;
  }
  if (state->progress.epoch >= config.recipe.epochs) {
    throw Error(
        "recipe.epochs",
        "the checkpoint has done " + std::to_string(state->progress.epoch) + " epochs already",
        "set a larger number with --epochs");
  }
  const std::int64_t parentStep = state->progress.step;
  TrainingLoop::Parts parts =
      prepareNew(config, device, rates, std::move(data), std::move(state), runsFolder, observer);
  const fs::path absolute = fs::absolute(checkpoint).lexically_normal();
  parts.record.lineage = {absolute.parent_path().parent_path().filename().string(),
                          absolute.filename().string(),
                          parentStep};
  std::string text =
      "forked from " + absolute.string() + ", " + placeText(device, config.recipe.precision, rates);
  for (const std::string& what : left) text += "; not taken over: " + what;
  TrainingLoop loop(std::move(parts), control, observer);
  return loop.run(EventKind::started, text);
}

}  // namespace lambda
