#include "engine/training/trainer.h"

#include <c10/util/Exception.h>

#include "engine/data/sources/data_sources.h"
#include "engine/formats/files/durable_file.h"
#include "engine/formats/json/run_json.h"
#include "engine/runs/metrics_repair.h"
#include "engine/runtime/environment.h"
#include "engine/runtime/error.h"
#include "engine/training/resume_point.h"
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

/// Removes what killed writers left in a run.
void sweep(const RunFolder& folder) {
  for (const fs::path& each : {folder.path(), folder.checkpoints(), folder.inspection()}) {
    sweepTemporaries(each);
  }
}

RunRecord recordToResume(const RunFolder& folder, const ResumeOptions& options) {
  std::vector<Problem> warnings;
  RunRecord record = readRunRecord(folder.record(), warnings);
  if (options.epochs) record.config.recipe.epochs = *options.epochs;
  if (options.device) record.config.device = *options.device;
  if (options.data) {
    record.config.data.source = recognizeDataSource(*options.data, record.config.data.source);
  }
  record.config = withAbsoluteData(record.config);
  requireTrainable(record.config);
  return record;
}

/// What a run that resumes says of its bits: nothing where they are those of one never interrupted.
std::string exactnessText(const Environment& before, const ComputeDevice& device) {
  const Environment now = currentEnvironment(device);
  if (now.threads != before.threads || now.device != before.device || now.torch != before.torch ||
      now.cpu != before.cpu) {
    return "; the machine, thread count or LibTorch differ from the first start's: not bit-exact";
  }
  if (before.threadChanges > 0) {
    return "; the number of threads changed while it trained: not bit-exact";
  }
  return {};
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
  sweep(folder);
  RunRecord record = recordToResume(folder, options);
  const ComputeDevice device = selectDevice(record.config.device);
  useThreads(device);
  // Only a record of other origin leaves it open.
  const PrecisionRates rates = resolvePrecision(record.config.recipe, device);
  if (rates.wereMeasured()) record.environment.precisionRates = rates;
  ResumePoint point = resumePointOf(folder, record, options, device, rates.wereMeasured());
  TrainingProgress& at = point.state->progress;
  auto data = std::make_unique<RunData>(record.config, torchDevice(device));
  record.testAccuracy = at.epoch < record.config.recipe.epochs ? std::nullopt : record.testAccuracy;
  const std::string repaired = repairMetrics(folder, record.lineage.parentStep, at);
  auto journal = std::make_unique<RunJournal>(folder, observer);
  journal->rewind(at);

  std::string text = "from " + point.checkpoint.filename().string() + ", " +
                     placeText(device, record.config.recipe.precision, rates) +
                     exactnessText(record.environment, device);
  for (const std::string& warning : point.warnings) text += "; " + warning;
  if (!repaired.empty()) text += "; " + repaired;
  auto governor = governorOf(record.config, device);
  CudaGraphPlugin graphs = cudaGraphsFor(record.config.device, *point.state);
  TrainingLoop loop({std::move(folder),
                     std::move(lock),
                     std::move(record),
                     std::move(data),
                     std::move(point.state),
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
  const std::vector<std::string> left = state->loadForFork(checkpoint, config);
  if (const std::optional<NonFinite> found = state->firstNonFinite()) {
    throw Error(checkpoint.string(),
                "a value is not finite: in " + found->layer + ", " + found->what,
                "fork an earlier checkpoint");
  }
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
