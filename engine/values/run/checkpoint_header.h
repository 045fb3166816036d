#pragma once

#include <cstdint>
#include <optional>

#include "engine/values/config/run_config.h"
#include "engine/values/run/run_record.h"

namespace lambda {

/// The progress of a run between two batches. Data order and augmentation are functions of (seed,
/// epoch, index), so that `epoch` and `batch` determine the position in the data completely.
struct TrainingProgress {
  int epoch = 0;  ///< Epochs done, evaluation included; the index of the running one.
  int batch = 0;  ///< Batches done in the running epoch.
  std::int64_t step = 0;
  double seconds = 0;           ///< Training time so far, pauses and evaluation excluded.
  std::int64_t images = 0;      ///< Trained on so far; an image counts once per epoch.
  double epochSeconds = 0;      ///< The part of `seconds` in the running epoch.
  double epochDataSeconds = 0;  ///< The part of `epochSeconds` spent on making batches.
  ScoreKind scoredBy = ScoreKind::accuracy;
  std::optional<double> bestValidationScore;  ///< Nothing before the first validation.
  /// Of the same epoch; nothing in a checkpoint of an earlier version.
  std::optional<double> bestValidationLoss;
  int bestEpoch = 0;  ///< The epoch that reached it; 0 = none, or not known.
  int changes = 0;    ///< Changes of settings made so far: the first of the record's.
  /// Length of metrics.jsonl in bytes: resuming drops what was written after it.
  std::uint64_t metricsBytes = 0;

  bool operator==(const TrainingProgress&) const = default;
};

/// What a checkpoint stores besides its tensors.
struct CheckpointHeader {
  TrainingProgress progress;
  Environment environment;
  RunConfig config;
  NetworkInput input;
  DataDigest dataSha256;  ///< Of the run's data; that of the test set in exported weights alone.

  bool operator==(const CheckpointHeader&) const = default;
};

}  // namespace lambda
