#include "engine/training/run/live_changes.h"

#include <tuple>

#include "engine/runs/requests/run_requests.h"
#include "engine/runtime/error.h"
#include "engine/training/checkpoint/training_state.h"

namespace lambda {

namespace {

/// Makes best.safetensors the best of the run so far, for a run that keeps the best weights from
/// now on. Without the file, or if it is of a later step, the best epoch is one of those to come.
void adoptBest(const RunFolder& folder, TrainingProgress& at) {
  at.bestValidationScore.reset();
  at.bestValidationLoss.reset();
  at.bestEpoch = 0;
  const std::optional<TrainingProgress> best = progressIn(folder.bestCheckpoint());
  if (!best || best->step > at.step || !best->bestValidationScore) return;
  at.bestValidationScore = best->bestValidationScore;
  at.bestValidationLoss = best->bestValidationLoss;
  at.bestEpoch = best->epoch;
}

}  // namespace

bool LiveChanges::isDue() const {
  const TrainingProgress& at = run_.progress();
  const auto next = static_cast<std::size_t>(at.changes);
  if (next >= run_.record.changes.size()) return false;
  const RunChange& change = run_.record.changes[next];
  // The step alone does not tell the end of an epoch from the start of the next.
  return std::tie(change.epoch, change.batch) <= std::tie(at.epoch, at.batch);
}

void LiveChanges::repeatDue() {
  while (isDue()) {
    const RunChange change = run_.record.changes[static_cast<std::size_t>(run_.progress().changes)];
    apply(change);
  }
}

void LiveChanges::make(const ChangeRequest& request) {
  TrainingProgress& at = run_.progress();
  RunRecord& record = run_.record;
  const auto refuse = [this, &request](const std::string& reason) {
    writer_.note(EventKind::warning, std::string(kChangeRefused) + reason);
    observer_.changeRefused(request, reason);
  };
  const std::string obstacle = obstacleTo(request, record.config, at.epoch + 1);
  if (!obstacle.empty()) return refuse(obstacle);
  if (record.changes.size() >= kMostChanges) {
    return refuse("a run can be changed " + std::to_string(kMostChanges) + " times");
  }
  const RunRecord recordBefore = record;
  const TrainingProgress before = at;
  const LiveSettings settings = liveSettingsOf(record.config);
  addChange(record.changes,
            static_cast<std::size_t>(at.changes),
            {.step = at.step,
             .epoch = at.epoch,
             .batch = at.batch,
             .before = settings,
             .after = settings},
            request);
  try {
    if (settingsAfter(settings, request) != settings) {
      apply(record.changes[static_cast<std::size_t>(at.changes)]);
    }
  } catch (const Error& error) {
    record = recordBefore;
    at = before;
    return refuse(error.what());
  }
  observer_.changeGranted(request);
}

void LiveChanges::apply(const RunChange& applied) {
  const RunChange change = applied;
  RunRecord& record = run_.record;
  setLiveSettings(record.config, change.after);
  if (change.after.checkpoints.keepBest && !change.before.checkpoints.keepBest) {
    adoptBest(run_.folder, run_.progress());
  }
  writer_.saveRecord(record.status);
  const auto index = static_cast<std::size_t>(run_.progress().changes++);
  writer_.note(EventKind::changed, textOf(change));
  observer_.settingsChanged(change, index);
}

}  // namespace lambda
