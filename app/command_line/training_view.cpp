#include "app/command_line/training_view.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <limits>

#include "app/command_line/report.h"
#include "app/command_line/terminal.h"
#include "app/command_line/text_table.h"
#include "engine/values/config/epoch_batches.h"
#include "engine/values/text/quantities.h"

namespace lambda {

namespace {

struct EpochColumn {
  const char* heading;
  std::size_t width;
};

/// The headings without a text are those of the run's score and of its throughput.
constexpr std::array<EpochColumn, 7> kEpochColumns{{{"epoch", 9},
                                                    {"train loss", 10},
                                                    {"", 8},
                                                    {"valid. loss", 11},
                                                    {"", 8},
                                                    {"", 9},
                                                    {"time", 8}}};

std::string epochLine(const std::array<std::string, kEpochColumns.size()>& cells) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    line += (i > 0 ? "  " : "") + padded(cells[i], kEpochColumns[i].width, true);
  }
  return line;
}

std::string sentence(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) {
    if (part.empty()) continue;
    text += (text.empty() ? "" : " " + glyphText(Glyph::dot) + " ") + part;
  }
  return text;
}

double secondsBetween(std::chrono::steady_clock::time_point from,
                      std::chrono::steady_clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

}  // namespace

void TrainingView::started(const RunRecord& record,
                           const std::string& run,
                           std::uint64_t /*metricsBytes*/) {
  run_ = run;
  task_ = record.config.architecture.task;
  tokensPerExample_ = record.config.architecture.input.width;
  startWeights_ = std::filesystem::path(record.config.start.weights).filename().string();
  epochs_ = record.config.recipe.epochs;
  batchesPerEpoch_ = std::max(record.batchesPerEpoch, 1);
  bestBy_ = record.config.checkpoints.bestBy;
  best_.reset();
  if (record.bestValidationScore) {
    // An earlier version did not record the loss; its best epoch keeps its place in a tie.
    constexpr double kLowest = -std::numeric_limits<double>::infinity();
    best_ = Scores{
        record.bestValidationLoss.value_or(kLowest), *record.bestValidationScore, record.scoredBy};
  }
  const Recipe& recipe = record.config.recipe;
  const Environment& machine = record.environment;
  const std::string work = formatCounted(machine.threads, "thread") + ", " +
                           precisionText(recipe.precision, machine.precisionRates);
  line_.print(sentence({record.config.name,
                        record.pattern,
                        formatCount(record.parameters) + " parameters",
                        formatShortCount(record.flops) + "FLOPs per " + traitsOf(task_).example}));
  line_.print(
      sentence({textOf(record.config.data.source),
                formatCount(record.trainingExamples) + " training " + traitsOf(task_).examples,
                batchesText(recipe, record.trainingExamples)}));
  line_.print(sentence({machine.device, work}));
  line_.print(shownPath(run));
  printHeadings(traitsOf(record.scoredBy).name);
}

void TrainingView::printHeadings(const char* score) {
  std::array<std::string, kEpochColumns.size()> headings;
  for (std::size_t i = 0; i < headings.size(); ++i) {
    const std::string heading = kEpochColumns[i].heading;
    headings[i] = heading.empty() ? score : heading;
  }
  headings[5] = throughputUnit(task_);
  line_.print("");
  line_.print(epochLine(headings));
}

void TrainingView::batchFinished(const BatchRecord& record) {
  const Clock::time_point now = Clock::now();
  // The first batch includes the time for what is built once.
  if (batches_++ == 0) start_ = now;
  step_ = record.step;
  if (record.epoch != epoch_) {
    epoch_ = record.epoch;
    batchesOfEpoch_ = 0;
    lossSum_ = scoreSum_ = 0;
  }
  ++batchesOfEpoch_;
  lossSum_ += record.loss;
  scoreSum_ += record.score;
  if (!line_.isDue()) return;

  const std::int64_t inEpoch = step_ - static_cast<std::int64_t>(epoch_ - 1) * batchesPerEpoch_;
  const double done = static_cast<double>(inEpoch) / batchesPerEpoch_;
  line_.show({{"epoch " + std::to_string(epoch_) + "/" + std::to_string(epochs_),
               formatPercent(done, 0),
               "ETA " + remainingText(),
               "loss " + formatFixed(lossSum_ / batchesOfEpoch_, 3),
               traitsOf(record.scoredBy).shortName +
                   (" " + formatScore(scoreSum_ / batchesOfEpoch_, record.scoredBy)),
               throughputText(record.imagesPerSecond, task_, tokensPerExample_)},
              done});
}

std::string TrainingView::remainingText() const {
  constexpr double kWarmUpSeconds = 2;
  const double seconds = secondsBetween(start_, Clock::now());
  if (seconds < kWarmUpSeconds || batches_ < 2) return "...";
  const std::int64_t left = static_cast<std::int64_t>(epochs_) * batchesPerEpoch_ - step_;
  const double perBatch = seconds / static_cast<double>(batches_ - 1);
  return formatClock(perBatch * static_cast<double>(std::max<std::int64_t>(left, 0)));
}

void TrainingView::epochFinished(const EpochRecord& record) {
  const bool isBest =
      record.validation && (!best_ || isBetter(*record.validation, *best_, bestBy_));
  if (isBest) best_ = record.validation;
  const std::string loss = record.validation ? formatFixed(record.validation->loss, 4) : "";
  const std::string score =
      record.validation ? formatScore(record.validation->score, record.validation->scoredBy) : "";
  line_.print(epochLine({std::to_string(record.epoch) + "/" + std::to_string(epochs_),
                         formatFixed(record.train.loss, 4),
                         formatScore(record.train.score, record.train.scoredBy),
                         loss,
                         score,
                         throughputNumber(record.imagesPerSecond, task_, tokensPerExample_),
                         formatClock(record.seconds)}) +
              (isBest ? "  best" : ""));
}

void TrainingView::evaluated(const EvaluationProgress& progress) {
  if (!line_.isDue()) return;
  const double done = progress.total > 0
                          ? static_cast<double>(progress.done) / static_cast<double>(progress.total)
                          : 1;
  line_.show({{progress.split ? "scoring " + std::string(nameOf(*progress.split)) : "exporting",
               formatPercent(done, 0),
               formatCount(progress.done) + " of " + formatCount(progress.total) + " " +
                   traitsOf(task_).examples},
              done});
}

void TrainingView::eventRecorded(const EventRecord& record) {
  switch (record.kind) {
    case EventKind::resumed:
      line_.print("resumed after step " + formatCount(record.step) + " " + record.text);
      break;
    case EventKind::warning:
      line_.print("warning: " + record.text);
      break;
    case EventKind::changed:
      line_.print("changed after step " + formatCount(record.step) + ": " + record.text);
      break;
    case EventKind::started:
      if (const std::size_t at = record.text.find("; " + startWeights_ + ": takes");
          !startWeights_.empty() && at != std::string::npos) {
        line_.print("weights of " + record.text.substr(at + 2));
      }
      break;
    case EventKind::paused:
    case EventKind::continued:
    case EventKind::stopped:
    case EventKind::finished:
    case EventKind::failed:
    case EventKind::checkpoint:
    case EventKind::tested:
      break;
  }
}

}  // namespace lambda
