#include "engine/training/run/run_writer.h"

#include <algorithm>

#include <c10/util/Exception.h>

#include "engine/formats/inspection/text_sample.h"
#include "engine/formats/json/run_json.h"
#include "engine/runtime/error.h"
#include "engine/training/run/live_inspection.h"
#include "engine/training/run/text_sampling.h"
#include "engine/values/config/scoring.h"
#include "engine/values/text/quantities.h"

namespace lambda {

namespace {

/// Disk space needed in addition to a checkpoint's tensors: its header, the record, the metrics.
constexpr std::uintmax_t kSpareBytes = 1 << 20;

/// The training throughput over the whole run.
double imagesPerSecond(const TrainingProgress& at) {
  return at.seconds > 0 ? static_cast<double>(at.images) / at.seconds : 0;
}

/// Whether the scores of an epoch are better than the best so far. A checkpoint of an earlier
/// version does not have the loss of its best epoch, which then keeps its place in a tie.
bool isBest(const Scores& scores, const TrainingProgress& at, BestBy by) {
  if (!at.bestValidationScore) return true;
  if (!at.bestValidationLoss) return scores.score > *at.bestValidationScore;
  return isBetter(scores, {*at.bestValidationLoss, *at.bestValidationScore}, by);
}

}  // namespace

std::string lowerLearningRateHint(const Recipe& recipe) {
  return "nothing was saved after it; fork the last checkpoint with a lower learning rate: "
         "--set recipe.optimizer.learningRate=" +
         std::to_string(recipe.optimizer.learningRate / 2);
}

bool RunWriter::saveCheckpoint(const std::string& why, Space space) {
  requireFiniteState();
  run_.journal->sync();
  if (!hasSpace(why, space)) return false;
  run_.progress().metricsBytes = run_.journal->metricsBytes();
  // The test set's digest is left out: whether it is known yet depends on interruptions.
  run_.prepared.state->save(run_.folder.lastCheckpoint(),
                            run_.config(),
                            run_.record.environment,
                            run_.record.input,
                            {.train = run_.record.dataSha256.train});
  note(EventKind::checkpoint, why);
  return true;
}

bool RunWriter::hasSpace(const std::string& why, Space space) {
  const std::uintmax_t needed = run_.prepared.state->savedBytes() + kSpareBytes;
  const std::filesystem::path folder = run_.folder.checkpoints();
  if (run_.freeBytes(folder) >= needed) return true;
  prune(run_.folder, run_.config().checkpoints, /*arriving=*/1);
  const std::uintmax_t available = run_.freeBytes(folder);
  if (available >= needed) return true;
  const std::string reason = "the checkpoint (" + why + ") needs " + formatBytes(needed) +
                             ", and the disk has " + formatBytes(available) + " left";
  if (space == Space::demanded) {
    std::error_code ignored;
    const bool canResume = std::filesystem::exists(run_.folder.lastCheckpoint(), ignored);
    throw Error(run_.folder.lastCheckpoint().string(),
                "is not saved: " + reason,
                canResume ? "free space on this disk, then resume the run from its last checkpoint"
                          : "free space on this disk, then start the run again");
  }
  note(EventKind::warning,
       "not saved: " + reason + "; the training continues, and the previous checkpoint stays");
  return false;
}

/// The order makes the end of an epoch one transaction: last.safetensors holds all of it, and if a
/// run ends before the following writes, publishEpochEnd() does them when it resumes.
bool RunWriter::saveEpochEnd(const EpochRecord& record) {
  TrainingProgress& at = run_.progress();
  ++at.epoch;
  at.batch = 0;
  at.epochSeconds = 0;
  at.epochDataSeconds = 0;
  const TrainingProgress before = at;
  if (record.validation && isBest(*record.validation, at, run_.config().checkpoints.bestBy)) {
    at.bestValidationScore = record.validation->score;
    at.bestValidationLoss = record.validation->loss;
    at.bestEpoch = at.epoch;
  }
  run_.journal->record(record);
  saveProbe(record.validation ? std::optional(record.validation->loss) : std::nullopt);
  const bool isSaved = saveCheckpoint("epoch " + std::to_string(at.epoch), Space::checked);
  if (isSaved) {
    publishEpochEnd(run_.folder, run_.config().checkpoints, at);
  } else {
    // The best epoch must be one whose weights were saved.
    at.bestValidationScore = before.bestValidationScore;
    at.bestValidationLoss = before.bestValidationLoss;
    at.bestEpoch = before.bestEpoch;
  }
  saveRecord(RunStatus::running);
  return isSaved;
}

void RunWriter::saveProbe(std::optional<double> loss) {
  TrainingState& state = *run_.prepared.state;
  TrainingData& data = *run_.prepared.data;
  if (data.validation().count() == 0) return;
  if (RunData* images = data.asImages()) {
    lambda::saveProbe(state, *images, run_.folder.inspection(), run_.progress().epoch);
  } else if (!traitsOf(run_.config().data.source).tokensAreDrawn) {
    saveTextSample(loss);
  }
}

/// A training does not end because its text can't be written.
void RunWriter::saveTextSample(std::optional<double> loss) {
  const int epoch = run_.progress().epoch;
  const auto warn = [&](const std::string& reason) {
    note(EventKind::warning,
         "no text was written after epoch " + std::to_string(epoch) + ", because " + reason);
  };
  try {
    TextSample sample = sampleText(*run_.prepared.state, run_.prepared.data->validation());
    sample.loss = loss;
    writeTextSample(run_.folder.inspection() / textSampleName(epoch), sample);
  } catch (const Error& error) {
    warn(error.what());
  } catch (const c10::Error& error) {
    warn(error.what_without_backtrace());
  }
}

void RunWriter::requireFiniteState() const {
  const std::optional<NonFinite> found = run_.prepared.state->firstNonFinite();
  if (!found) return;
  throw Error("step " + std::to_string(run_.progress().step),
              "a value is not finite: in " + found->layer + ", " + found->what,
              lowerLearningRateHint(run_.config().recipe));
}

void RunWriter::saveRecord(RunStatus status, const std::string& text) {
  const TrainingProgress& at = run_.progress();
  RunRecord& record = run_.record;
  record.status = status;
  record.statusText = text;
  record.epochsDone = at.epoch;
  record.bestValidationScore = at.bestValidationScore;
  record.bestValidationLoss = at.bestValidationLoss;
  record.trainSeconds = at.seconds;
  record.imagesPerSecond = imagesPerSecond(at);
  writeRunRecord(run_.folder.record(), record);
}

void RunWriter::note(EventKind kind, const std::string& text) {
  const TrainingProgress& at = run_.progress();
  // After the last epoch there is no next one: events then belong to the last.
  const int current = std::min(at.epoch + 1, run_.config().recipe.epochs);
  run_.journal->record(EventRecord{at.step, current, at.seconds, kind, text});
}

RunResult RunWriter::result(RunStatus status, const std::string& text) const {
  const TrainingProgress& at = run_.progress();
  return {run_.folder.path().string(),
          status,
          at.epoch,
          at.bestValidationScore,
          run_.record.testScore,
          run_.record.validationMajority,
          run_.record.testMajority,
          at.seconds,
          imagesPerSecond(at),
          run_.config().architecture.task,
          run_.config().architecture.input.width,
          text,
          scoringOf(run_.config().recipe),
          at.scoredBy};
}

}  // namespace lambda
