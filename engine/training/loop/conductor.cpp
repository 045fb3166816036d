#include "engine/training/loop/conductor.h"

#include <algorithm>
#include <utility>

#include <c10/util/Exception.h>

#include "engine/runs/requests/run_requests.h"
#include "engine/runtime/device.h"
#include "engine/runtime/error.h"
#include "engine/runtime/out_of_memory.h"
#include "engine/runtime/seconds_since.h"
#include "engine/training/run/live_inspection.h"
#include "engine/values/config/schedule.h"
#include "engine/values/text/quantities.h"

namespace lambda {

namespace {

constexpr std::chrono::milliseconds kRequestInterval{500};

std::optional<Team> teamOf(OpenRun& run) {
  if (run.processes == nullptr) return std::nullopt;
  return std::optional<Team>(
      std::in_place, *run.processes, *run.prepared.state, run.prepared.resolved.config());
}

}  // namespace

Conductor::Conductor(OpenRun run, RunControl& control, Observer& observer)
    : run_(std::move(run)),
      writer_(run_),
      control_(control),
      observer_(observer),
      changes_(run_, writer_, observer_),
      team_(teamOf(run_)),
      steps_(
          state(),
          data(),
          recipe(),
          run_.graphs.recorder,
          [this](const std::string& obstacle) { noteWithoutGraph(obstacle); },
          team_ ? &*team_ : nullptr),
      scoring_(
          state(),
          data(),
          recipe(),
          [this](const EvaluationProgress& progress) {
            observer_.evaluated(progress);
            return proceed();
          },
          team_ ? &*team_ : nullptr),
      lastSave_(Clock::now()) {
  if (config().monitoring.histograms) histograms_.emplace(progress().seconds);
}

RunResult Conductor::run(EventKind opening, const std::string& text) {
  RunResult result = train(opening, text);
  if (team_ && result.status == RunStatus::failed) {
    // The others may be anywhere, and wait for no order.
    team_->processes().leave(result.failure);
  } else if (team_) {
    try {
      team_->order({.kind = Order::Kind::end});
    } catch (const Error& error) {
      writer_.note(EventKind::warning, "when the run was over, " + error.reason());
    }
  }
  return result;
}

RunResult Conductor::train(EventKind opening, const std::string& text) {
  try {
    run_.record.trainingExamples = data().trainingExamples();
    run_.record.batchesPerEpoch = data().batchesPerEpoch();
    writer_.saveRecord(RunStatus::running);
    RunRecord opened = run_.record;
    opened.changes.resize(static_cast<std::size_t>(progress().changes));
    observer_.started(opened, run_.folder.path().string(), run_.journal->metricsBytes());
    writer_.note(opening, text);
    if (const int dropped = dropRequests(run_.folder)) {
      writer_.note(EventKind::warning,
                   formatCounted(dropped, "request") +
                       " of other processes, from before this start, not obeyed");
    }
    if (const std::string& obstacle = state().kernelObstacle; !obstacle.empty()) {
      writer_.note(
          EventKind::warning,
          "runs on plain LibTorch operations, more slowly than on the CUDA kernels, because " +
              obstacle);
    }
    if (const std::string changes = data().changes(); !changes.empty()) {
      writer_.note(EventKind::warning, changes);
    }
    if (!run_.graphs.obstacle.empty()) noteWithoutGraph(run_.graphs.obstacle);
    if (trainToEnd() == Outcome::stopped) {
      saveCheckpoint("stopped", RunWriter::Space::demanded);
      return end(RunStatus::stopped, "stopped at step " + std::to_string(progress().step));
    }
    return end(RunStatus::finished, "finished");
  } catch (const Error& error) {
    return fail(error.what());
  } catch (const c10::Error& error) {
    if (!isOutOfMemory(error)) return fail(error.what_without_backtrace());
  } catch (const std::exception& error) {
    if (!isOutOfMemory(error)) return fail(error.what());
  }
  return fail("out of memory with a batch of " + std::to_string(recipe().batchSize) +
              "\n  fork the run from its last checkpoint with --set recipe.batchSize=" +
              std::to_string(std::max(1, recipe().batchSize / 2)) +
              ", or choose fewer heads, a smaller k or a local scope");
}

Conductor::Outcome Conductor::trainToEnd() {
  if (progress().step == 0) {
    saveCheckpoint("initial weights", RunWriter::Space::demanded);
    writer_.saveProbe();
    if (config().checkpoints.keepInitial) {
      publishAs(run_.folder.lastCheckpoint(), run_.folder.initialCheckpoint());
    }
  }
  repeatDueChanges();  // They may be more epochs for a run that has done all of its own.
  while (progress().epoch < recipe().epochs) {
    if (trainEpoch() == Outcome::stopped) return Outcome::stopped;
    if (finishEpoch() == Outcome::stopped) return Outcome::stopped;
    repeatDueChanges();
  }
  if (!isSaved_) saveCheckpoint("last epoch", RunWriter::Space::demanded);
  if (!run_.record.testScore) return scoreTest();
  // A resumed run has its test scores already if only its last write had failed. Resuming has
  // dropped them from the TensorBoard events.
  if (run_.record.testLoss) {
    run_.journal->recordTest(progress().step,
                             {*run_.record.testLoss, *run_.record.testScore, run_.record.scoredBy});
  }
  return Outcome::done;
}

Conductor::Outcome Conductor::trainEpoch() {
  while (progress().batch < data().batchesPerEpoch()) {
    if (!proceed()) return Outcome::stopped;
    trainBatch();
    const double minutes = config().checkpoints.everyMinutes;
    if (minutes > 0 && secondsSince(lastSave_) > 60 * minutes) {
      saveCheckpoint("autosave", RunWriter::Space::checked);
    }
  }
  completeStep();
  return Outcome::done;
}

bool Conductor::areHistogramsDue() const {
  if (!histograms_) return false;
  const TrainingProgress& at = run_.progress();
  const bool isLast =
      at.epoch + 1 == recipe().epochs && at.batch + 1 == run_.prepared.data->batchesPerEpoch();
  if (isLast) return true;
  // What an observed step under way costs is not known yet.
  const bool isObserving = pending_ && pending_->histograms;
  return !isObserving && histograms_->isDue(at.step, at.seconds);
}

void Conductor::trainBatch() {
  std::optional<StepUnderWay> next;
  try {
    next = steps_.start(areHistogramsDue());
  } catch (...) {
    completeStep();  // If the step under way failed too, its failure is reported.
    throw;
  }
  completeStep();
  ++progress().batch;
  ++progress().step;
  control_.reached({.step = progress().step});
  pending_ = std::move(next);
  if (pending_->step.isOver()) completeStep();
}

void Conductor::completeStep() {
  if (!pending_) return;
  const StepUnderWay completed = std::move(*pending_);
  pending_.reset();
  const StepOutcome outcome = completed.step.outcome();
  if (completed.histograms && histograms_) recordHistograms(completed);
  if (!outcome.finite) throw steps_.nonFinite(completed, outcome);

  const double seconds = steps_.secondsOf(completed);
  TrainingProgress& at = progress();
  at.seconds += seconds;
  at.epochSeconds += seconds;
  at.epochDataSeconds += completed.dataSeconds;
  at.images += completed.images;
  run_.journal->record(
      BatchRecord{.step = completed.before.step + 1,
                  .epoch = completed.before.epoch + 1,
                  .seconds = at.seconds,
                  .loss = outcome.loss,
                  .score = outcome.score,
                  .learningRate = completed.learningRate,
                  .gradientNorm = outcome.gradientNorm,
                  .imagesPerSecond = static_cast<double>(completed.images) / seconds,
                  .allReduceSeconds = completed.allReduceSeconds,
                  .scoredBy = at.scoredBy});
  govern(seconds);
}

/// A training does not end because its histograms can't be written.
void Conductor::recordHistograms(const StepUnderWay& completed) {
  const Clock::time_point start = Clock::now();
  try {
    run_.journal->record(HistogramRecord{.step = completed.before.step + 1,
                                         .epoch = completed.before.epoch + 1,
                                         .seconds = completed.histograms->seconds,
                                         .layers = completed.histograms->layers});
    histograms_->recorded(completed.before.step,
                          completed.histograms->seconds + secondsSince(start));
  } catch (const Error& error) {
    histograms_.reset();
    writer_.note(EventKind::warning,
                 std::string("records no more histograms, because ") + error.what());
  }
}

void Conductor::noteWithoutGraph(const std::string& obstacle) {
  writer_.note(EventKind::warning,
               "does not record its steps as a CUDA graph and is slower, because " + obstacle);
}

void Conductor::govern(double seconds) {
  if (!run_.governor) return;
  const std::optional<ThreadChange> change = run_.governor->stepTook(seconds);
  if (!change) return;
  ComputeDevice device;
  device.threads = change->threads;
  useThreads(device);
  ++run_.record.environment.threadChanges;
  writer_.saveRecord(RunStatus::running);
  writer_.note(EventKind::warning,
               change->reason + "; a run whose threads change can't be repeated to the bit");
}

void Conductor::noteRanks() {
  if (!team_) return;
  const RankTimes times = team_->takeTimes();
  for (std::size_t i = 0; i < run_.record.ranks.size(); ++i) {
    RankRecord& rank = run_.record.ranks[i];
    const double busy = times.busySeconds[i];
    const double waited = times.waitedSeconds[i];
    if (busy <= 0) continue;
    rank.imagesPerSecond = times.examples[i] / busy;
    rank.waitShare = std::clamp(waited / (busy + waited), 0.0, 1.0);
  }
}

Conductor::Outcome Conductor::finishEpoch() {
  writer_.requireFiniteState();
  noteRanks();
  const std::optional<Scores> train = scoring_.score(Split::train);
  if (!train) return Outcome::stopped;
  EpochScores scores{.train = *train};
  if (data().validation().count() > 0) {
    scores.validation = scoring_.score(Split::validation);
    if (!scores.validation) return Outcome::stopped;
  }
  lastSave_ = Clock::now();
  isSaved_ = writer_.saveEpochEnd(epochRecordOf(scores));
  control_.reached({.epoch = progress().epoch});
  return Outcome::done;
}

EpochRecord Conductor::epochRecordOf(const EpochScores& scores) const {
  const TrainingProgress& at = run_.progress();
  const Recipe& recipe = config().recipe;
  EpochRecord record{.step = at.step,
                     .epoch = at.epoch + 1,
                     .seconds = at.seconds,
                     .train = scores.train,
                     .validation = scores.validation};
  record.learningRate = learningRateAt(recipe, record.epoch);
  if (at.epochSeconds > 0) {
    const std::int64_t images = run_.prepared.data->examplesIn(at.batch);
    record.imagesPerSecond = static_cast<double>(images) / at.epochSeconds;
    record.dataShare = std::clamp(at.epochDataSeconds / at.epochSeconds, 0.0, 1.0);
  }
  return record;
}

Conductor::Outcome Conductor::scoreTest() {
  if (data().test().count() == 0) {
    writer_.note(EventKind::warning,
                 std::string("the data set has no test ") +
                     traitsOf(config().architecture.task).examples + ": there is no test score");
    return Outcome::done;
  }
  // If the best checkpoint is kept, it is the run's result: validation alone has chosen it.
  std::error_code error;
  const std::filesystem::path best = run_.folder.bestCheckpoint();
  const bool scoresBest = config().checkpoints.keepBest && std::filesystem::exists(best, error);
  const std::optional<Scores> scores =
      scoresBest ? scoring_.scoreTest(best) : scoring_.score(Split::test);
  if (!scores) return Outcome::stopped;
  noteTestSet();
  run_.record.testScore = scores->score;
  run_.record.testLoss = scores->loss;
  ++run_.record.testEvaluations;
  writer_.note(EventKind::tested,
               "test " + namedScore(scores->score, scores->scoredBy) + ", loss " +
                   std::to_string(scores->loss) + majorityText(run_.record.testMajority));
  run_.journal->recordTest(progress().step, *scores);
  return Outcome::done;
}

void Conductor::noteTestSet() {
  RunRecord& record = run_.record;
  const std::string digest = data().test().digest();
  if (!record.dataSha256.test.empty() && record.dataSha256.test != digest) {
    writer_.note(EventKind::warning, "the test set has changed since it was scored before");
  }
  record.dataSha256.test = digest;
  record.testMajority = data().test().majority();
}

bool Conductor::proceed() {
  while (true) {
    takeRequests();
    const RunControl::Turn turn = control_.next();
    if (turn != RunControl::Turn::batch) completeStep();
    switch (turn) {
      case RunControl::Turn::batch:
        if (isPauseRecorded_ && control_.mode() == RunControl::Mode::running) {
          isPauseRecorded_ = false;
          writer_.saveRecord(RunStatus::running);
          writer_.note(EventKind::continued, "continued");
        }
        repeatDueChanges();
        return true;
      case RunControl::Turn::change:
        for (const ChangeRequest& request : control_.takeChanges()) changes_.make(request);
        break;
      case RunControl::Turn::inspection:
        serveInspection();
        break;
      case RunControl::Turn::paused:
        waitWhilePaused();
        break;
      case RunControl::Turn::stop:
        return false;
    }
  }
}

void Conductor::repeatDueChanges() {
  if (!changes_.isDue()) return;
  completeStep();
  changes_.repeatDue();
}

void Conductor::waitWhilePaused() {
  if (!isPauseRecorded_) {
    isPauseRecorded_ = true;
    writer_.saveRecord(RunStatus::paused);
    writer_.note(EventKind::paused, "paused");
    run_.journal->sync();
  }
  control_.waitForChange(kRequestInterval);
}

void Conductor::takeRequests() {
  const Clock::time_point now = Clock::now();
  if (now - lastRequests_ < kRequestInterval) return;
  lastRequests_ = now;
  lambda::takeRequests(
      run_.folder,
      [this](const RunRequest& request) { passTo(control_, request); },
      [this](const std::string& reason) {
        writer_.note(EventKind::warning, "a request of another process is not obeyed: " + reason);
      });
}

void Conductor::serveInspection() {
  const std::optional<InspectionRequest> request = control_.takeInspection();
  if (!request) return;
  // While averaged weights are in the network, this second swap brings the live ones back.
  const AveragedWeights live(scoring_.averageInUse());
  try {
    observer_.inspected(std::make_shared<const InspectionSnapshot>(
        inspectLive(state(), imagesOf(data()), *request)));
  } catch (const std::exception& failure) {
    observer_.inspectionFailed(*request, failure.what());
  }
}

bool Conductor::saveCheckpoint(const std::string& why, RunWriter::Space space) {
  completeStep();
  lastSave_ = Clock::now();
  return writer_.saveCheckpoint(why, space);
}

RunResult Conductor::end(RunStatus status, const std::string& text) {
  writer_.note(status == RunStatus::stopped ? EventKind::stopped : EventKind::finished, text);
  run_.journal->sync();
  // Changes for epochs that a finished run does not have are never made.
  if (status == RunStatus::finished) {
    run_.record.changes.resize(static_cast<std::size_t>(progress().changes));
  }
  writer_.saveRecord(status);
  return writer_.result(status, {});
}

RunResult Conductor::fail(const std::string& text) {
  // The failure may be that nothing can be written, so each write may fail without harm.
  try {
    writer_.note(EventKind::failed, text);
    run_.journal->sync();
  } catch (const std::exception&) {
  }
  try {
    writer_.saveRecord(RunStatus::failed, text);
  } catch (const std::exception&) {
  }
  return writer_.result(RunStatus::failed, text);
}

}  // namespace lambda
