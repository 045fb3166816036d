#include "engine/training/run/resume_point.h"

#include <algorithm>
#include <optional>

#include "engine/formats/json/config_changes.h"
#include "engine/runtime/error.h"
#include "engine/values/text/text_safety.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

/// A checkpoint's configuration, with the settings that may change between two starts of a run
/// taken from `run`: the names, LiveSettings, the device, what is monitored, and the path of the
/// data.
RunConfig resultRelevantConfig(RunConfig config, const RunConfig& run) {
  config.name = run.name;
  config.architecture.name = run.architecture.name;
  setLiveSettings(config, liveSettingsOf(run));
  config.device = run.device;
  config.monitoring = run.monitoring;
  const std::string* path = pathOf(run.data.source);
  std::string* earlier = pathOf(config.data.source);
  if (path != nullptr && earlier != nullptr) *earlier = *path;
  return config;
}

/// How a checkpoint contradicts the record of its run, as a sentence without its subject; empty if
/// it belongs to the run. A precision that the record left open is not compared.
std::string contradictionOf(const CheckpointHeader& header,
                            const RunRecord& record,
                            bool precisionWasOpen) {
  if (header.environment.started != record.environment.started ||
      header.environment.host != record.environment.host) {
    return "is a checkpoint of another run: that one was started at " + header.environment.started +
           " on " + header.environment.host + ", this one at " + record.environment.started +
           " on " + record.environment.host;
  }
  RunConfig then = resultRelevantConfig(header.config, record.config);
  if (precisionWasOpen) then.recipe.precision = record.config.recipe.precision;
  const std::vector<ConfigChange> changes = configChanges(then, record.config);
  if (changes.empty()) return {};
  return "was saved with other settings than run.json has now: " + toText(changes);
}

void requireSameRun(const fs::path& checkpoint,
                    const CheckpointHeader& header,
                    const RunRecord& record,
                    const ResumeOptions& options,
                    bool precisionWasOpen,
                    std::vector<std::string>& warnings) {
  const std::string contradiction = contradictionOf(header, record, precisionWasOpen);
  if (contradiction.empty()) return;
  if (!options.acceptChanges) {
    throw Error(checkpoint.string(),
                contradiction,
                "undo what was changed; or fork the checkpoint, which starts a new run; "
                "or resume with --accept-changes to use the settings of run.json");
  }
  warnings.push_back("accepted: " + checkpoint.filename().string() + " " + contradiction);
}

/// Loads one checkpoint. Returns why it can't be used; empty if it can.
std::string load(TrainingState& state, const fs::path& checkpoint) {
  try {
    state.load(checkpoint);
  } catch (const Error& error) {
    return error.what();
  }
  const std::optional<NonFinite> found = state.firstNonFinite();
  if (!found) return {};
  return checkpoint.string() + ": a value is not finite: in " + found->layer + ", " + found->what;
}

/// The request for what the options give, and for what somebody has edited in run.json: the
/// settings that differ from those saved and from all that later changes have set.
ChangeRequest requestOf(const RunRecord& record,
                        const ResumeOptions& options,
                        const LiveSettings& saved,
                        const std::vector<RunChange>& later) {
  const LiveSettings recorded = liveSettingsOf(record.config);
  ChangeRequest request = requestBetween(saved, recorded);
  for (const RunChange& each : later) {
    visitRequested(each.after, request, [](const auto& setting, auto& requested) {
      if (requested == setting) requested.reset();
    });
  }
  if (options.epochs) request.epochs = recorded.epochs;
  return request;
}

void takeChanges(ResumePoint& point,
                 const RunConfig& saved,
                 const RunRecord& record,
                 const ResumeOptions& options) {
  TrainingProgress& at = point.state->progress;
  point.settings = liveSettingsOf(saved);
  point.changes = record.changes;
  // Somebody may have put an older run.json back.
  const std::size_t made = std::min(static_cast<std::size_t>(at.changes), point.changes.size());
  at.changes = static_cast<int>(made);
  const std::vector<RunChange> later(point.changes.begin() + static_cast<std::ptrdiff_t>(made),
                                     point.changes.end());
  const ChangeRequest request = requestOf(record, options, point.settings, later);
  addChange(point.changes,
            made,
            {.step = at.step,
             .epoch = at.epoch,
             .batch = at.batch,
             .before = point.settings,
             .after = point.settings},
            request);
  if (point.changes.size() > kMostChanges) {
    throw Error(point.checkpoint.string(),
                "the settings of the run were changed " + std::to_string(kMostChanges) +
                    " times, and can't be changed once more",
                "resume it without --epochs and with the settings that run.json had; or fork the "
                "checkpoint, which starts a new run");
  }
}

ResumePoint newestUsable(const RunFolder& folder,
                         const RunRecord& record,
                         const ResumeOptions& options,
                         const ResolvedConfig& resolved) {
  ResumePoint point{.state = std::make_unique<TrainingState>(resolved)};
  const bool precisionWasOpen = resolved.precisionRates().wereMeasured();
  std::string damage;
  const auto passOver = [&](const std::string& reason) {
    damage += (damage.empty() ? "" : "\n") + reason;
  };
  for (const fs::path& path : folder.checkpointsNewestFirst()) {
    std::optional<CheckpointHeader> header;
    try {
      header = readVerifiedHeader(path);
    } catch (const Error& error) {
      passOver(error.what());
      continue;
    }
    requireSameRun(path, *header, record, options, precisionWasOpen, point.warnings);
    const std::string problem = load(*point.state, path);
    if (problem.empty()) {
      point.checkpoint = path;
      takeChanges(point, header->config, record, options);
      if (!damage.empty()) point.warnings.push_back("skipped damaged checkpoints:\n" + damage);
      return point;
    }
    passOver(problem);
  }
  throw Error(folder.path().string(),
              damage.empty() ? "the run has no checkpoint to resume from"
                             : "none of its checkpoints can be used:\n" + damage,
              "start it again with: lambda train " + shellPath(folder.record().string()));
}

/// Whether a checkpoint was saved at the end of this epoch, counted from 1.
bool isEndOf(const std::optional<TrainingProgress>& progress, int epoch) {
  return progress && progress->epoch == epoch && progress->batch == 0;
}

/// Makes the best checkpoint and the best epoch in the state agree. They differ if the run was
/// killed between saving the two, if the newest checkpoint was damaged and an older one is used, or
/// if somebody removed a file.
void restoreBest(const RunFolder& folder, ResumePoint& point) {
  TrainingProgress& at = point.state->progress;
  const std::optional<TrainingProgress> best = progressIn(folder.bestCheckpoint());
  if (!at.bestValidationScore && !best) return;
  if (at.bestEpoch > 0 && isEndOf(best, at.bestEpoch)) return;
  if (at.bestEpoch > 0) {
    for (const fs::path& path : {point.checkpoint, folder.epochCheckpoint(at.bestEpoch)}) {
      if (!isEndOf(progressIn(path), at.bestEpoch)) continue;
      publishAs(path, folder.bestCheckpoint());
      return;
    }
  }
  if (best && best->bestValidationScore) {
    at.bestValidationScore = best->bestValidationScore;
    at.bestValidationLoss = best->bestValidationLoss;
    at.bestEpoch = best->epoch;
    return;
  }
  at.bestValidationScore.reset();
  at.bestValidationLoss.reset();
  at.bestEpoch = 0;
  point.warnings.push_back(
      "the best checkpoint is missing; the best of the remaining epochs replaces it");
}

void requireEpochsLeft(const RunFolder& folder, const ResumePoint& point, RunStatus status) {
  const TrainingProgress& at = point.state->progress;
  const int epochs = point.epochs();
  if (at.epoch > epochs || (at.epoch == epochs && at.batch > 0)) {
    throw Error(folder.path().string(),
                "the run has been trained for " + std::to_string(at.epoch) + " epochs" +
                    (at.batch > 0 ? " and a part of the next" : "") + ", more than the " +
                    std::to_string(epochs) + " epochs that it is configured for",
                "give a larger number with --epochs, or train a new run for fewer epochs");
  }
  if (at.epoch == epochs && status == RunStatus::finished) {
    throw Error(folder.path().string(),
                "the run has done all of its " + std::to_string(epochs) + " epochs",
                "continue it with --epochs and a larger number");
  }
}

}  // namespace

ResumePoint resumePointOf(const RunFolder& folder,
                          const RunRecord& record,
                          const ResumeOptions& options,
                          const ResolvedConfig& resolved) {
  ResumePoint point = newestUsable(folder, record, options, resolved);
  requireEpochsLeft(folder, point, record.status);
  const CheckpointConfig& policy = point.settings.checkpoints;
  if (policy.keepBest) restoreBest(folder, point);
  // A fork that has not trained yet is at the end of one of its parent's epochs, not of its own.
  const bool hasTrained = point.state->progress.step > record.lineage.parentStep;
  if (point.checkpoint == folder.lastCheckpoint() && hasTrained) {
    publishEpochEnd(folder, policy, point.state->progress);
  }
  return point;
}

}  // namespace lambda
