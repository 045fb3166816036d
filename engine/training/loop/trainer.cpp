#include "engine/training/loop/trainer.h"

#include <algorithm>

#include "engine/data/sources/data_sources.h"
#include "engine/formats/files/durable_file.h"
#include "engine/formats/json/run_json.h"
#include "engine/formats/tensors/checkpoint_file.h"
#include "engine/runs/metrics_repair.h"
#include "engine/runtime/environment.h"
#include "engine/runtime/error.h"
#include "engine/training/loop/conductor.h"
#include "engine/training/processes/follower.h"
#include "engine/training/run/resume_point.h"
#include "engine/training/start/prepared_run.h"
#include "engine/values/architecture/cost.h"
#include "engine/values/config/epoch_batches.h"
#include "engine/values/config/schedule.h"
#include "engine/values/config/validate.h"
#include "engine/values/text/quantities.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

RunRecord recordOf(const PreparedRun& prepared) {
  const ResolvedConfig& resolved = prepared.resolved;
  const RunConfig& config = resolved.config();
  const NetworkCost cost = costOf(config.architecture);
  RunRecord record;
  record.config = config;
  record.scoredBy = traitsOf(config.architecture.task).score;
  record.environment = currentEnvironment(resolved.device(), resolved.precisionRates());
  record.parameters = cost.parameters;
  record.flops = cost.flops;
  record.pattern = patternOf(config.architecture);
  record.input = prepared.data->input();
  record.dataSha256.train = prepared.data->digest();
  record.validationMajority = prepared.data->validation().majority();
  return record;
}

/// A warning, as the end of an event text, if a run's data is not the expected; empty if it is, or
/// if nothing is expected. Throws Error instead where the run is to stop.
std::string changedDataText(const TrainingData& data,
                            const RunConfig& config,
                            const ExpectedData& expected) {
  if (expected.sha256.empty() || expected.sha256 == data.digest()) return {};
  const std::string reason = "the data for training and validation has changed: its digest is " +
                             data.digest() + ", not " + expected.sha256;
  if (expected.otherwise == ChangedData::warn) return "; warning: " + reason;
  throw Error(textOf(config.data.source),
              reason,
              "Put the former data there, or name its place with --data; to use the present data "
              "all the same: --changed-data warn.");
}

/// Notes that a run continues with other training images. A change that was undone, because the run
/// resumes from before it, moves to that place.
void noteDataChange(RunRecord& record, const std::string& present, std::int64_t step) {
  for (DataChange& each : record.dataChanges) each.step = std::min(each.step, step);
  std::string& known = record.dataSha256.train;
  if (!known.empty() && known != present) record.dataChanges.push_back({step, known, present});
  known = present;
}

/// The digest of the training images that a run began with.
std::string firstDigestOf(const RunRecord& record) {
  return record.dataChanges.empty() ? record.dataSha256.train : record.dataChanges.front().before;
}

/// A warning, as the end of an event text, if the training images changed while a run trained,
/// which no repetition does. Throws Error instead where the repetition is to stop.
std::string dataChangesText(const RunFolder& folder,
                            const RunRecord& record,
                            ChangedData otherwise) {
  std::string reason;
  for (const DataChange& each : record.dataChanges) {
    reason += (reason.empty() ? "" : "; ") + textOf(each);
  }
  if (reason.empty()) return {};
  if (otherwise == ChangedData::warn) return "; warning: " + reason;
  throw Error(folder.path().string(),
              reason + ": a run on one data set can't give its bits",
              "Train a new run on the present data; to repeat this one on the present data all the "
              "same: --changed-data warn.");
}

std::string absolutePath(const std::string& path) {
  return fs::absolute(path).lexically_normal().string();
}

/// The configuration with absolute paths of data, pseudo-labels and weights, which are valid in any
/// working folder.
RunConfig withAbsolutePaths(RunConfig config) {
  if (std::string* path = pathOf(config.data.source)) {
    *path = absolutePath(*path);
  }
  if (!config.start.weights.empty()) config.start.weights = absolutePath(config.start.weights);
  if (!config.data.pseudoLabels.empty()) {
    config.data.pseudoLabels = absolutePath(config.data.pseudoLabels);
  }
  return config;
}

/// A run outside of the experiment that its configuration came from.
RunConfig withoutExperiment(RunConfig config) {
  config.experiment.clear();
  return config;
}

std::string nameOfRun(const RunConfig& config) {
  return config.name.empty() ? config.architecture.name : config.name;
}

/// The device of a run and why it was chosen, the precision if that was measured, the labels if the
/// training does not use all, and what becomes of images that are left over by whole batches.
std::string placeText(const ResolvedConfig& resolved, const TrainingData& data) {
  const PrecisionRates& rates = resolved.precisionRates();
  std::string text = resolved.device().reason;
  if (rates.wereMeasured()) {
    text += "; " + precisionText(resolved.config().recipe.precision, rates);
  }
  if (!data.labelSummary().empty()) text += "; " + data.labelSummary();
  const Recipe& recipe = resolved.config().recipe;
  if (data.trainingExamples() % recipe.batchSize != 0) {
    text += "; " + batchesText(recipe, data.trainingExamples());
  }
  return text;
}

std::optional<ThreadGovernor> governorOf(const ResolvedConfig& resolved) {
  const DeviceConfig& config = resolved.config().device;
  const ComputeDevice& device = resolved.device();
  const bool governs = config.yieldsToOthers && config.threads == 0 &&
                       device.kind == DeviceKind::cpu && device.threads > 1;
  return governs ? std::optional<ThreadGovernor>(device.threads) : std::nullopt;
}

/// How many processes train a run together, as the end of an event text.
std::string processesText(const Processes* processes) {
  if (processes == nullptr) return {};
  return "; " + std::to_string(processes->size()) + " processes train it together";
}

/// A run that many processes have trained remains one that one can't repeat.
void noteRanks(RunRecord& record, std::vector<RankRecord> ranks) {
  record.environment.ranks = std::max(record.environment.ranks, static_cast<int>(ranks.size()));
  record.ranks = std::move(ranks);
}

OpenRun openRun(RunFolder folder,
                std::unique_ptr<RunLock> lock,
                RunRecord record,
                PreparedRun prepared,
                std::unique_ptr<RunJournal> journal,
                Processes* processes) {
  auto governor = processes == nullptr ? governorOf(prepared.resolved) : std::nullopt;
  CudaGraphPlugin graphs = cudaGraphsFor(prepared.resolved.config().device, *prepared.state);
  // A recorded step could not wait for the other ranks.
  if (graphs.recorder != nullptr && processes != nullptr) {
    graphs = {nullptr, "many processes train it together"};
  }
  return {std::move(folder),
          std::move(lock),
          std::move(record),
          std::move(prepared),
          std::move(journal),
          std::move(governor),
          std::move(graphs),
          processes};
}

/// Creates the folder of a new run. The run is prepared before, so that a failed start leaves no
/// folder behind.
OpenRun openNewRun(PreparedRun prepared,
                   const NewRunPlace& place,
                   const Lineage& lineage,
                   Observer& observer,
                   Processes* processes) {
  std::vector<RankRecord> ranks;
  if (processes != nullptr) ranks = shareTraining(*processes, prepared);
  RunFolder folder =
      place.folderName.empty()
          ? RunFolder::create(place.runsFolder, nameOfRun(prepared.resolved.config()))
          : RunFolder::createNamed(place.runsFolder, place.folderName);
  auto lock = std::make_unique<RunLock>(folder);
  RunRecord record = recordOf(prepared);
  record.lineage = lineage;
  noteRanks(record, std::move(ranks));
  writeRunRecord(folder.record(), record);
  auto journal = std::make_unique<RunJournal>(folder, observer);
  return openRun(std::move(folder),
                 std::move(lock),
                 std::move(record),
                 std::move(prepared),
                 std::move(journal),
                 processes);
}

/// Removes the temporary files that a killed process left in a run.
void sweep(const RunFolder& folder) {
  for (const fs::path& each : {folder.path(), folder.checkpoints(), folder.inspection()}) {
    sweepTemporaries(each);
  }
}

/// What a longer run does to the learning rate, as the end of an event text: that of a run which
/// had all its epochs from the start may be far above the one that the shorter run had reached.
std::string rateText(const fs::path& checkpoint, const Recipe& recipe, double epoch) {
  const Recipe before = readCheckpointHeader(checkpoint).config.recipe;
  const std::string old = formatRounded(learningRateAt(before, epoch));
  const std::string now = formatRounded(learningRateAt(recipe, epoch));
  if (old == now) return {};
  return "; the learning rate goes from " + old + " to " + now + ", that of a run with " +
         formatCounted(recipe.epochs, "epoch") + " at this point";
}

RunRecord recordToResume(const RunFolder& folder, const ResumeOptions& options) {
  std::vector<Problem> warnings;
  RunRecord record = readRunRecord(folder.record(), warnings);
  if (options.epochs) record.config.recipe.epochs = *options.epochs;
  if (options.device) record.config.device = *options.device;
  if (options.data) {
    record.config.data.source = recognizeDataSource(*options.data, record.config.data.source);
  }
  record.config = withAbsolutePaths(record.config);
  requireTrainable(record.config);
  return record;
}

/// Why a resumed run is not bit-exact, as the end of an event text; empty if it is.
std::string exactnessText(const Environment& before,
                          const ComputeDevice& device,
                          const std::vector<RankRecord>& ranksBefore,
                          const std::vector<RankRecord>& ranks) {
  const Environment now = currentEnvironment(device);
  const auto countOf = [](const std::vector<RankRecord>& all) {
    return std::to_string(std::max<std::size_t>(1, all.size()));
  };
  if (ranks.size() != ranksBefore.size()) {
    return "; trained by " + countOf(ranks) + " instead of " + countOf(ranksBefore) +
           " processes, whose sums are rounded in another order: not bit-exact";
  }
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (ranks[i].threads == ranksBefore[i].threads && ranks[i].device == ranksBefore[i].device) {
      continue;
    }
    return "; the device or the threads of rank " + std::to_string(i) +
           " differ from those before: not bit-exact";
  }
  if (now.threads != before.threads || now.device != before.device || now.torch != before.torch ||
      now.cpu != before.cpu) {
    return "; the machine, thread count or LibTorch differs from the first start: not bit-exact";
  }
  if (before.threadChanges > 0) {
    return "; the number of threads changed while it trained: not bit-exact";
  }
  return {};
}

fs::path parentCheckpointOf(const RunFolder& folder, const Lineage& lineage) {
  const auto isName = [](const std::string& text) {
    return !text.empty() && text.front() != '.' && fs::path(text).filename() == text;
  };
  if (!isName(lineage.parentRun) || !isName(lineage.parentCheckpoint)) {
    throw Error(folder.record().string(),
                "the names of the parent run and its checkpoint are no names of files");
  }
  const fs::path library = fs::absolute(folder.path()).lexically_normal().parent_path();
  const fs::path parent = library / lineage.parentRun / "checkpoints" / lineage.parentCheckpoint;
  std::error_code error;
  if (fs::exists(parent, error)) return parent;
  throw Error(parent.string(),
              "the run was forked from this checkpoint, which is missing",
              "Put the parent run beside the run, with that checkpoint.");
}

}  // namespace

void requireTrainable(const RunConfig& config) {
  const std::vector<Problem> problems = validate(config);
  if (hasErrors(problems))
    throw Error("configuration", "it can't be trained:\n" + toText(problems));
}

RunResult trainRun(const RunConfig& wanted,
                   const NewRunPlace& place,
                   RunControl& control,
                   Observer& observer,
                   const ExpectedData& expected,
                   Processes* processes) {
  requireTrainable(wanted);
  PreparedRun prepared = PreparedRun::fresh(withAbsolutePaths(wanted), processes);
  const std::string text = placeText(prepared.resolved, *prepared.data) +
                           changedDataText(*prepared.data, prepared.resolved.config(), expected) +
                           prepared.startText + processesText(processes);
  Lineage lineage;
  lineage.parentRun = wanted.parentRun;
  Conductor conductor(
      openNewRun(std::move(prepared), place, lineage, observer, processes), control, observer);
  return conductor.run(EventKind::started, text);
}

RunResult resumeRun(const fs::path& run,
                    const ResumeOptions& options,
                    RunControl& control,
                    Observer& observer,
                    Processes* processes) {
  RunFolder folder = RunFolder::open(run);
  auto lock = std::make_unique<RunLock>(folder);
  sweep(folder);
  RunRecord record = recordToResume(folder, options);
  ResolvedConfig resolved = resolvedFor(record.config, processes);
  // A record that was not written by a training may have an automatic precision until here.
  record.config = resolved.config();
  if (resolved.precisionRates().wereMeasured()) {
    record.environment.precisionRates = resolved.precisionRates();
  }
  ResumePoint point = resumePointOf(folder, record, options, resolved);
  if (point.state->progress.epoch < point.epochs()) {
    record.testScore.reset();
    record.testLoss.reset();
  }
  TrainingProgress& at = point.state->progress;
  auto data = trainingDataOf(resolved, record.input);
  const ChangedData otherwise = options.acceptChanges ? ChangedData::warn : options.changedData;
  const std::string changed =
      changedDataText(*data, record.config, {record.dataSha256.train, otherwise});
  record.input = data->input();
  noteDataChange(record, data->digest(), at.step);
  record.validationMajority = data->validation().majority();
  setLiveSettings(record.config, point.settings);
  record.changes = std::move(point.changes);
  const std::string repaired = repairMetrics(folder, record.lineage.parentStep, at);
  auto journal = std::make_unique<RunJournal>(folder, observer);
  journal->rewind(at);

  // The loop changes the number of epochs before its first step.
  Recipe recipe = record.config.recipe;
  recipe.epochs = options.epochs.value_or(recipe.epochs);
  PreparedRun prepared{std::move(resolved), std::move(data), std::move(point.state)};
  std::vector<RankRecord> ranks;
  if (processes != nullptr) ranks = shareTraining(*processes, prepared);
  std::string text =
      "from " + point.checkpoint.filename().string() + ", " +
      placeText(prepared.resolved, *prepared.data) +
      exactnessText(record.environment, prepared.resolved.device(), record.ranks, ranks) +
      rateText(point.checkpoint,
               recipe,
               at.epoch + static_cast<double>(at.batch) / prepared.data->batchesPerEpoch()) +
      changed;
  for (const std::string& warning : point.warnings) text += "; " + warning;
  if (!repaired.empty()) text += "; " + repaired;
  text += processesText(processes);
  noteRanks(record, std::move(ranks));
  Conductor conductor(openRun(std::move(folder),
                              std::move(lock),
                              std::move(record),
                              std::move(prepared),
                              std::move(journal),
                              processes),
                      control,
                      observer);
  return conductor.run(EventKind::resumed, text);
}

RunResult forkRun(const fs::path& checkpoint,
                  const RunConfig& wanted,
                  const fs::path& runsFolder,
                  RunControl& control,
                  Observer& observer) {
  requireTrainable(wanted);
  PreparedRun fork = PreparedRun::forked(checkpoint, withoutExperiment(withAbsolutePaths(wanted)));
  const fs::path absolute = fs::absolute(checkpoint).lexically_normal();
  const std::string text = "forked from " + absolute.string() + ", " +
                           placeText(fork.resolved, *fork.data) + fork.startText;
  const Lineage lineage{absolute.parent_path().parent_path().filename().string(),
                        absolute.filename().string(),
                        fork.state->progress.step};
  Conductor conductor(
      openNewRun(std::move(fork), runsFolder, lineage, observer, /*processes=*/nullptr),
      control,
      observer);
  return conductor.run(EventKind::started, text);
}

RunResult repeatRun(const fs::path& run,
                    const fs::path& runsFolder,
                    RunControl& control,
                    Observer& observer,
                    ChangedData changedData) {
  const RunFolder folder = RunFolder::open(run);
  std::vector<Problem> warnings;
  const RunRecord original = readRunRecord(folder.record(), warnings);
  if (original.environment.ranks > 1) {
    throw Error(folder.path().string(),
                std::to_string(original.environment.ranks) +
                    " processes trained it, and a repetition by one can't give its bits",
                "Train its configuration again with as many processes.");
  }
  const std::string changes = dataChangesText(folder, original, changedData);
  const std::int64_t steps = readCheckpointHeader(folder.lastCheckpoint()).progress.step;
  RunConfig config = withoutExperiment(original.config);
  if (!original.changes.empty()) setLiveSettings(config, original.changes.front().before);
  config.device.threads = original.environment.threads;
  requireTrainable(config);

  PreparedRun prepared =
      original.lineage.parentCheckpoint.empty()
          ? PreparedRun::fresh(config)
          : PreparedRun::forked(parentCheckpointOf(folder, original.lineage), config);
  const std::string text =
      "repeats " + folder.name() + ", " + placeText(prepared.resolved, *prepared.data) +
      changedDataText(*prepared.data, config, {firstDigestOf(original), changedData}) + changes;
  if (original.status != RunStatus::finished) control.stopAfter({.step = steps});
  OpenRun opened = openNewRun(
      std::move(prepared), runsFolder, original.lineage, observer, /*processes=*/nullptr);
  opened.record.changes = original.changes;
  Conductor conductor(std::move(opened), control, observer);
  return conductor.run(EventKind::started, text);
}

}  // namespace lambda
