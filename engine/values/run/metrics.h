#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/values/config/run_config.h"

namespace lambda {

/// The mean loss (of a classification without label smoothing) and the score of the task, measured
/// in evaluation mode without augmentation, by one function for all splits. With flip averaging
/// they are those of the mean outputs for an image and its mirror image.
struct Scores {
  double loss = 0;
  double score = 0;
  ScoreKind scoredBy = ScoreKind::accuracy;

  bool operator==(const Scores&) const = default;
};

/// Whether scores are better than others by the chosen one, or equal in it and better by the other.
bool isBetter(const Scores& scores, const Scores& than, BestBy by);

/// A score with its name: "accuracy 86.53 %", "R² 0.9312".
std::string namedScore(double score, ScoreKind kind);

/// The most frequent class of a set of images: what a network that has learnt nothing but the
/// frequencies predicts for all of them.
struct MajorityClass {
  std::string name;
  double share = 0;  ///< Of the images, 0..1: the accuracy of that guess.

  bool operator==(const MajorityClass&) const = default;
};

/// " (always guessing cat: 43.30 %)", to follow an accuracy; empty where the class is not known.
std::string majorityText(const std::optional<MajorityClass>& majority);

/// One optimiser step. Loss and score are those of the augmented batch in training mode; where its
/// images are mixed, the score is that of the label with the larger share.
struct BatchRecord {
  std::int64_t step = 0;  ///< Steps done since the start of the run, 1 after the first.
  int epoch = 0;          ///< The running epoch, counted from 1.
  double seconds = 0;     ///< Training time so far, pauses excluded.
  double loss = 0;        ///< Without label smoothing; mixed as the images are.
  double score = 0;
  double learningRate = 0;
  double gradientNorm = 0;  ///< 2-norm of all gradients before clipping.
  double imagesPerSecond = 0;
  /// With many processes: for the sum of the gradients, after this process had its own.
  std::optional<double> allReduceSeconds = std::nullopt;
  ScoreKind scoredBy = ScoreKind::accuracy;

  bool operator==(const BatchRecord&) const = default;
};

struct EpochRecord {
  std::int64_t step = 0;
  int epoch = 0;
  double seconds = 0;
  Scores train;  ///< On a fixed sample of the training images.
  std::optional<Scores> validation = std::nullopt;
  double learningRate = 0;
  double imagesPerSecond = 0;  ///< Training throughput of the epoch, evaluation excluded.
  double dataShare = 0;        ///< Share of the epoch's training time spent on making batches.

  bool operator==(const EpochRecord&) const = default;
};

enum class EventKind {
  started,
  resumed,
  paused,
  continued,
  stopped,
  finished,
  failed,
  checkpoint,
  tested,
  warning,
  changed
};

struct EventRecord {
  std::int64_t step = 0;
  int epoch = 0;
  double seconds = 0;
  EventKind kind = EventKind::started;
  std::string text;

  bool operator==(const EventRecord&) const = default;
};

/// Everything that a run has recorded, each kind in the order of writing.
struct Metrics {
  std::vector<BatchRecord> batches;
  std::vector<EpochRecord> epochs;
  std::vector<EventRecord> events;
  std::vector<std::string>
      warnings;  ///< One for each line that could not be read, with its number.

  bool operator==(const Metrics&) const = default;
};

enum class RunStatus { running, paused, stopped, finished, failed };

/// What happens where a run's data has changed since it was trained.
enum class ChangedData {
  stop,  ///< Error.
  warn,  ///< The run records it, and uses the present data.
};

/// How a call of the trainer ended.
struct RunResult {
  std::string run;  ///< The run folder.
  RunStatus status = RunStatus::running;
  int epochs = 0;  ///< Epochs done.
  std::optional<double> bestValidationScore;
  std::optional<double> testScore;
  std::optional<MajorityClass> validationMajority;  ///< See RunRecord.
  std::optional<MajorityClass> testMajority;
  double trainSeconds = 0;
  double imagesPerSecond = 0;  ///< Training throughput over the whole run, in examples.
  Task task = Task::classification;
  int tokensPerExample = 1;  ///< Of a sequence.
  std::string failure;       ///< What happened and what to do, when the status is failed.
  /// How its scores are measured: scoringOf() its recipe.
  std::vector<std::string> scoring;
  ScoreKind scoredBy = ScoreKind::accuracy;
};

}  // namespace lambda
