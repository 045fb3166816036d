#pragma once

#include <limits>
#include <numbers>

#include "engine/values/fields/enum_name.h"

namespace lambda {

/// What a network learns to say about an example, an image or a sequence of tokens. It decides the
/// meaning of the outputs, the loss and the score that is reported beside it.
enum class Task {
  classification,  ///< Which of `outputs` classes it is; the loss is the cross-entropy.
  regression,      ///< `outputs` numbers; the loss is their squared error.
  /// Which of `outputs` tokens each position of a sequence asks for, such as the next one; the loss
  /// is the cross-entropy, the mean over the positions that are scored.
  tokens,
};

template <>
inline constexpr EnumNames<3> kNamesOf<Task>{{"classification", "regression", "tokens"}};

/// A number that says how good outputs are, beside their loss. More is better.
enum class ScoreKind {
  accuracy,  ///< Share of images, or of tokens, whose class has the largest output, 0..1.
  /// Coefficient of determination R², up to 1: the share of the numbers' variance that the outputs
  /// explain. 0 is reached by always answering the mean.
  r2,
};

/// The names of a score.
struct ScoreTraits {
  const char* name;  ///< In tables and sentences.
  const char* shortName;
  const char* key;      ///< In files: "accuracy", and "validation/accuracy" in TensorBoard's.
  const char* inKey;    ///< At the end of a longer name: "trainAccuracy".
  const char* bestKey;  ///< In run.json and checkpoints.
  const char* testKey;
  const char* meaning;
  double lowest;   ///< Of all that are possible.
  double highest;  ///< Of all that are possible.
  bool isShare;    ///< Shown in per cent.
};

constexpr ScoreTraits traitsOf(ScoreKind score) {
  switch (score) {
    case ScoreKind::r2:
      return {.name = "R²",
              .shortName = "R²",
              .key = "r2",
              .inKey = "R2",
              .bestKey = "bestValidationR2",
              .testKey = "testR2",
              .meaning = "share of the numbers' variance that the outputs explain",
              .lowest = -std::numeric_limits<double>::infinity(),
              .highest = 1,
              .isShare = false};
    case ScoreKind::accuracy:
      break;
  }
  return {.name = "accuracy",
          .shortName = "acc",
          .key = "accuracy",
          .inKey = "Accuracy",
          .bestKey = "bestValidationAccuracy",
          .testKey = "testAccuracy",
          .meaning = "fraction of images, or of tokens, predicted correctly",
          .lowest = 0,
          .highest = 1,
          .isShare = true};
}

inline constexpr ScoreKind kScoreKinds[] = {ScoreKind::accuracy, ScoreKind::r2};

/// What depends on a task outside of its objective.
struct TaskTraits {
  ScoreKind score;
  const char* example;      ///< What is learnt from: "image".
  const char* examples;     ///< Its plural.
  const char* outputs;      ///< The plural of what an output is: "classes".
  const char* outputNames;  ///< The key of their names in files: "classNames".
  int fewestOutputs;
  const char* outputsMeaning;
  const char* outputsHint;
  const char* lossMeaning;  ///< With its unit.
};

constexpr TaskTraits traitsOf(Task task) {
  switch (task) {
    case Task::regression:
      return {.score = ScoreKind::r2,
              .example = "image",
              .examples = "images",
              .outputs = "numbers",
              .outputNames = "numberNames",
              .fewestOutputs = 1,
              .outputsMeaning = "how many numbers an image has",
              .outputsHint = "Must be those of the data. Each adds one row to the last layer.",
              .lossMeaning = "mean squared error, in variances of the training images' numbers"};
    case Task::tokens:
      return {.score = ScoreKind::accuracy,
              .example = "sequence",
              .examples = "sequences",
              .outputs = "tokens",
              .outputNames = "tokenNames",
              .fewestOutputs = 2,
              .outputsMeaning = "number of different tokens; 256 for bytes",
              .outputsHint =
                  "Must be that of the data. Each adds a row to the embedding and one "
                  "to the last layer.",
              .lossMeaning = "mean cross-entropy of a token in nats; divided by ln 2, in bits"};
    case Task::classification:
      break;
  }
  return {.score = ScoreKind::accuracy,
          .example = "image",
          .examples = "images",
          .outputs = "classes",
          .outputNames = "classNames",
          .fewestOutputs = 2,
          .outputsMeaning = "number of classes",
          .outputsHint = "Must be that of the data. Each class adds one row to the classifier.",
          .lossMeaning = "mean cross-entropy in nats"};
}

/// A loss of tokens in bits per token.
inline double bitsOf(double nats) {
  return nats / std::numbers::ln2;
}

}  // namespace lambda
