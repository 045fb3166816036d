#include "engine/training/training_loop.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include <c10/util/Exception.h>

#include "engine/formats/json/run_json.h"
#include "engine/inspection/first_nonfinite.h"
#include "engine/runtime/device.h"
#include "engine/runtime/error.h"
#include "engine/runtime/out_of_memory.h"
#include "engine/training/evaluation.h"
#include "engine/training/live_inspection.h"
#include "engine/training/step/training_step.h"
#include "engine/training/update/master_weights.h"
#include "engine/values/schedule.h"

namespace lambda {

namespace {

double secondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

const std::string kLowerLearningRate =
    "nothing was saved after it; fork the last checkpoint with a lower learning rate: "
    "--set recipe.optimizer.learningRate=";

/// What the disk has to have beside a checkpoint: its header, the record, the metrics.
constexpr std::uintmax_t kSpareBytes = 1 << 20;

std::string megabytes(std::uintmax_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f MB", static_cast<double>(bytes) / 1e6);
  return text;
}

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f %%", 100 * share);
  return text;
}

}  // namespace

TrainingLoop::TrainingLoop(Parts parts, RunControl& control, Observer& observer)
    : parts_(std::move(parts)),
      control_(control),
      observer_(observer),
      steps_(*parts_.state,
             parts_.record.config.recipe,
             parts_.graphs.recorder,
             [this](const std::string& obstacle) { noteWithoutGraph(obstacle); }),
      lastStepEnd_(Clock::now()),
      lastSave_(Clock::now()) {}

RunResult TrainingLoop::run(EventKind opening, const std::string& text) {
  try {
    saveRecord(RunStatus::running);
    observer_.started(parts_.record,
                      parts_.folder.path().string(),
                      parts_.data->batchesPerEpoch(),
                      parts_.data->trainingImages());
    note(opening, text);
    if (const std::string& obstacle = parts_.state->kernelObstacle; !obstacle.empty()) {
      note(EventKind::warning,
           "runs on plain LibTorch operations, more slowly than on the CUDA kernels, because " +
               obstacle);
    }
    if (!parts_.graphs.obstacle.empty()) noteWithoutGraph(parts_.graphs.obstacle);
    if (trainToEnd() == Outcome::stopped) {
      saveCheckpoint("stopped", Room::demanded);
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
  return fail("out of memory with a batch of " + std::to_string(config().recipe.batchSize) +
              "\n  fork the run from its last checkpoint with --set recipe.batchSize=" +
              std::to_string(std::max(1, config().recipe.batchSize / 2)) +
              ", or choose fewer heads, a smaller k or a local scope");
}

TrainingLoop::Outcome TrainingLoop::trainToEnd() {
  if (parts_.state->progress.step == 0) saveCheckpoint("initial weights", Room::demanded);
  while (progress().epoch < config().recipe.epochs) {
    if (trainEpoch() == Outcome::stopped) return Outcome::stopped;
    if (finishEpoch() == Outcome::stopped) return Outcome::stopped;
  }
  if (!isSaved_) saveCheckpoint("last epoch", Room::demanded);
  // A run whose very last write failed has its result already.
  return parts_.record.testAccuracy ? Outcome::done : scoreTest();
}

TrainingLoop::Outcome TrainingLoop::trainEpoch() {
  while (progress().batch < parts_.data->batchesPerEpoch()) {
    if (!proceed()) return Outcome::stopped;
    trainBatch();
    const double minutes = config().checkpoints.everyMinutes;
    if (minutes > 0 && secondsSince(lastSave_) > 60 * minutes) {
      saveCheckpoint("autosave", Room::checked);
    }
  }
  completeStep();
  return Outcome::done;
}

void TrainingLoop::trainBatch() {
  std::optional<StepUnderWay> next;
  try {
    next = startBatch();
  } catch (...) {
    completeStep();  // Its own failure comes first.
    throw;
  }
  completeStep();
  ++progress().batch;
  ++progress().step;
  underWay_ = std::move(next);
  if (underWay_->step.isOver()) completeStep();
}

TrainingLoop::StepUnderWay TrainingLoop::startBatch() {
  const Clock::time_point start = Clock::now();
  const TrainingProgress& at = progress();
  const TensorBatch batch = parts_.data->batch(at.epoch, at.batch);
  const double dataSeconds = secondsSince(start);
  const double learningRate =
      learningRateOfStep(config().recipe, at.epoch, at.batch, parts_.data->batchesPerEpoch());
  return {steps_.start(batch, learningRate), at, start, dataSeconds, learningRate};
}

void TrainingLoop::completeStep() {
  if (!underWay_) return;
  const StepUnderWay completed = std::move(*underWay_);
  underWay_.reset();
  const StepOutcome outcome = completed.step.outcome();
  if (!outcome.finite) failNonFinite(completed, outcome);

  const Clock::time_point now = Clock::now();
  // While a step is queued its GPU still does the one before.
  const Clock::time_point began = std::max(completed.start, lastStepEnd_);
  const double seconds = std::chrono::duration<double>(now - began).count();
  lastStepEnd_ = now;
  TrainingProgress& at = progress();
  at.seconds += seconds;
  at.epochSeconds += seconds;
  at.epochDataSeconds += completed.dataSeconds;
  const int batchSize = config().recipe.batchSize;
  at.images += batchSize;
  parts_.journal->record(BatchRecord{.step = completed.before.step + 1,
                                     .epoch = completed.before.epoch + 1,
                                     .seconds = at.seconds,
                                     .loss = outcome.loss,
                                     .accuracy = outcome.accuracy,
                                     .learningRate = completed.learningRate,
                                     .gradientNorm = outcome.gradientNorm,
                                     .imagesPerSecond = batchSize / seconds});
  govern(seconds);
}

void TrainingLoop::noteWithoutGraph(const std::string& obstacle) {
  note(EventKind::warning,
       "queues every step anew, more slowly than as a CUDA graph, because " + obstacle);
}

void TrainingLoop::govern(double seconds) {
  if (!parts_.governor) return;
  const std::optional<ThreadChange> change = parts_.governor->stepTook(seconds);
  if (!change) return;
  ComputeDevice device;
  device.threads = change->threads;
  useThreads(device);
  ++parts_.record.environment.threadChanges;
  saveRecord(RunStatus::running);
  note(EventKind::warning,
       change->reason + "; a run whose threads change can't be repeated to the bit");
}

void TrainingLoop::failNonFinite(const StepUnderWay& failed, const StepOutcome& outcome) {
  const TrainingProgress& before = failed.before;
  progress().step = before.step;
  progress().batch = before.batch;
  const TensorBatch batch = parts_.data->batch(before.epoch, before.batch);
  // After a step that was told late the gradients, where there are any, are those of the next one.
  if (!failed.step.isOver()) computeGradients(*parts_.state, config().recipe, batch);
  const MasterWeights inspected(parts_.state->optimizer);
  const std::optional<NonFinite> first = firstNonFinite(parts_.state->network, batch.images);
  const std::string where = first ? "it began in " + first->layer + " (" + first->what + ")"
                                  : "the loss is " + std::to_string(outcome.loss) +
                                        ", the norm of the gradients " +
                                        std::to_string(outcome.gradientNorm);
  throw Error("step " + std::to_string(before.step + 1),
              "a value is not finite: " + where,
              kLowerLearningRate + std::to_string(config().recipe.optimizer.learningRate / 2));
}

std::optional<Scores> TrainingLoop::score(NetworkImpl& network,
                                          WeightAverage* average,
                                          const LabeledImages& images,
                                          const char* phase) {
  const auto total = static_cast<std::int64_t>(images.count());
  evaluatedAverage_ = average;
  const AveragedWeights averaged(average);
  const std::optional<Scores> scores =
      evaluate(network, images, parts_.data->maker(), config().recipe, [&](std::int64_t done) {
        observer_.evaluated({phase, done, total});
        return proceed();
      });
  evaluatedAverage_ = nullptr;
  if (scores && !std::isfinite(scores->loss)) {
    throw Error("step " + std::to_string(progress().step),
                std::string("the loss on the ") + phase + " images is not finite",
                kLowerLearningRate + std::to_string(config().recipe.optimizer.learningRate / 2));
  }
  return scores;
}

TrainingLoop::Outcome TrainingLoop::finishEpoch() {
  requireFiniteState();
  WeightAverage* const average = parts_.state->average.get();
  const std::optional<Scores> train =
      score(*parts_.state->network, average, parts_.data->trainSample(), "train");
  if (!train) return Outcome::stopped;
  EpochScores scores{.train = *train};
  if (parts_.data->validation().count() > 0) {
    scores.validation =
        score(*parts_.state->network, average, parts_.data->validation(), "validation");
    if (!scores.validation) return Outcome::stopped;
  }
  saveEpochEnd(epochRecordOf(scores));
  return Outcome::done;
}

EpochRecord TrainingLoop::epochRecordOf(const EpochScores& scores) const {
  const TrainingProgress& at = parts_.state->progress;
  const Recipe& recipe = parts_.record.config.recipe;
  EpochRecord record{.step = at.step,
                     .epoch = at.epoch + 1,
                     .seconds = at.seconds,
                     .train = scores.train,
                     .validation = scores.validation};
  record.learningRate = learningRateAt(recipe, record.epoch);
  if (at.epochSeconds > 0) {
    record.imagesPerSecond = at.batch * static_cast<double>(recipe.batchSize) / at.epochSeconds;
    record.dataShare = std::clamp(at.epochDataSeconds / at.epochSeconds, 0.0, 1.0);
  }
  return record;
}

/// The order makes the end of an epoch one transaction: last.safetensors holds all of it, and what
/// follows is repeated by publishEpochEnd() when a run that ended in between resumes.
void TrainingLoop::saveEpochEnd(const EpochRecord& record) {
  TrainingProgress& at = progress();
  ++at.epoch;
  at.batch = 0;
  at.epochSeconds = 0;
  at.epochDataSeconds = 0;
  const TrainingProgress before = at;
  if (record.validation &&
      (!at.bestValidationAccuracy || record.validation->accuracy > *at.bestValidationAccuracy)) {
    at.bestValidationAccuracy = record.validation->accuracy;
    at.bestEpoch = at.epoch;
  }
  parts_.journal->record(record);
  if (record.validation) {
    saveProbe(*parts_.state, *parts_.data, parts_.folder.inspection(), at.epoch);
  }
  isSaved_ = saveCheckpoint("epoch " + std::to_string(at.epoch), Room::checked);
  if (isSaved_) {
    publishEpochEnd(parts_.folder, config().checkpoints, at);
  } else {
    // The best epoch is the best one that is kept.
    at.bestValidationAccuracy = before.bestValidationAccuracy;
    at.bestEpoch = before.bestEpoch;
  }
  saveRecord(RunStatus::running);
}

TrainingLoop::Outcome TrainingLoop::scoreTest() {
  if (parts_.data->test().count() == 0) {
    note(EventKind::warning, "the data set has no test images: there is no test accuracy");
    return Outcome::done;
  }
  // With a best checkpoint kept, that one is the run's result: chosen by validation alone.
  std::error_code error;
  const std::filesystem::path best = parts_.folder.bestCheckpoint();
  std::optional<Scores> scores;
  if (config().checkpoints.keepBest && std::filesystem::exists(best, error)) {
    LoadedNetwork loaded = loadNetwork(best, parts_.state->device());
    scores = score(*loaded.network, nullptr, parts_.data->test(), "test");
  } else {
    scores =
        score(*parts_.state->network, parts_.state->average.get(), parts_.data->test(), "test");
  }
  if (!scores) return Outcome::stopped;
  parts_.record.testAccuracy = scores->accuracy;
  ++parts_.record.testEvaluations;
  note(EventKind::tested,
       "test accuracy " + percent(scores->accuracy) + ", loss " + std::to_string(scores->loss));
  return Outcome::done;
}

bool TrainingLoop::proceed() {
  while (true) {
    const RunControl::Turn turn = control_.next();
    if (turn != RunControl::Turn::batch) completeStep();
    switch (turn) {
      case RunControl::Turn::batch:
        if (announced_ && control_.mode() == RunControl::Mode::running) {
          announced_ = false;
          saveRecord(RunStatus::running);
          note(EventKind::continued, "continued");
        }
        return true;
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

void TrainingLoop::waitWhilePaused() {
  if (!announced_) {
    announced_ = true;
    saveRecord(RunStatus::paused);
    note(EventKind::paused, "paused");
    parts_.journal->sync();
  }
  control_.waitForChange();
}

void TrainingLoop::serveInspection() {
  const std::optional<InspectionRequest> request = control_.takeInspection();
  if (!request) return;
  // Exchanged twice, the live weights are back: what is shown as live is live.
  const AveragedWeights live(evaluatedAverage_);
  try {
    observer_.inspected(std::make_shared<const InspectionSnapshot>(
        inspectLive(*parts_.state, *parts_.data, *request)));
  } catch (const std::exception& failure) {
    observer_.inspectionFailed(*request, failure.what());
  }
}

bool TrainingLoop::saveCheckpoint(const std::string& why, Room room) {
  completeStep();
  requireFiniteState();
  parts_.journal->sync();
  lastSave_ = Clock::now();
  if (!hasRoom(why, room)) return false;
  progress().metricsBytes = parts_.journal->metricsBytes();
  parts_.state->save(parts_.folder.lastCheckpoint(), config(), parts_.record.environment);
  note(EventKind::checkpoint, why);
  return true;
}

bool TrainingLoop::hasRoom(const std::string& why, Room room) {
  const std::uintmax_t needed = parts_.state->savedBytes() + kSpareBytes;
  const std::filesystem::path folder = parts_.folder.checkpoints();
  if (parts_.freeBytes(folder) >= needed) return true;
  prune(parts_.folder, config().checkpoints, /*arriving=*/1);
  const std::uintmax_t available = parts_.freeBytes(folder);
  if (available >= needed) return true;
  const std::string reason = "the checkpoint (" + why + ") needs " + megabytes(needed) +
                             ", and the disk has " + megabytes(available) + " left";
  if (room == Room::demanded) {
    throw Error(parts_.folder.lastCheckpoint().string(),
                "is not saved: " + reason,
                "free space on this disk, then resume the run from its last checkpoint");
  }
  note(EventKind::warning,
       "not saved: " + reason + "; the training continues, and the last checkpoint stays");
  return false;
}

void TrainingLoop::requireFiniteState() const {
  const std::optional<NonFinite> found = parts_.state->firstNonFinite();
  if (!found) return;
  const Recipe& recipe = parts_.record.config.recipe;
  throw Error("step " + std::to_string(parts_.state->progress.step),
              "a value is not finite: in " + found->layer + ", " + found->what,
              kLowerLearningRate + std::to_string(recipe.optimizer.learningRate / 2));
}

void TrainingLoop::saveRecord(RunStatus status, const std::string& text) {
  const TrainingProgress& at = progress();
  RunRecord& record = parts_.record;
  record.status = status;
  record.statusText = text;
  record.epochsDone = at.epoch;
  record.bestValidationAccuracy = at.bestValidationAccuracy;
  record.trainSeconds = at.seconds;
  record.imagesPerSecond = at.seconds > 0 ? static_cast<double>(at.images) / at.seconds : 0;
  writeRunRecord(parts_.folder.record(), record);
}

void TrainingLoop::note(EventKind kind, const std::string& text) {
  const TrainingProgress& at = progress();
  // After the last batch of an epoch the running one is still that epoch.
  const int running = std::min(at.epoch + 1, config().recipe.epochs);
  parts_.journal->record(EventRecord{at.step, running, at.seconds, kind, text});
}

RunResult TrainingLoop::end(RunStatus status, const std::string& text) {
  note(status == RunStatus::stopped ? EventKind::stopped : EventKind::finished, text);
  parts_.journal->sync();
  saveRecord(status);
  return result(status, {});
}

RunResult TrainingLoop::fail(const std::string& text) {
  // The failure may be that nothing can be written any more: what can still be told is told.
  try {
    note(EventKind::failed, text);
    parts_.journal->sync();
  } catch (const std::exception&) {
  }
  try {
    saveRecord(RunStatus::failed, text);
  } catch (const std::exception&) {
  }
  return result(RunStatus::failed, text);
}

RunResult TrainingLoop::result(RunStatus status, const std::string& text) const {
  const RunRecord& record = parts_.record;
  const TrainingProgress& at = parts_.state->progress;
  return {parts_.folder.path().string(),
          status,
          at.epoch,
          at.bestValidationAccuracy,
          record.testAccuracy,
          at.seconds,
          at.seconds > 0 ? static_cast<double>(at.images) / at.seconds : 0,
          text};
}

}  // namespace lambda
