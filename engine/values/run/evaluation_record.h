#pragma once

#include <cstdint>
#include <string>

#include "engine/values/inspection/inspection.h"
#include "engine/values/run/metrics.h"

namespace lambda {

/// The score of one checkpoint, measured separately from training: a line of evaluations.jsonl.
/// The result that the run itself measured at its end is in its RunRecord.
struct EvaluationRecord {
  std::string time = {};        ///< UTC, ISO 8601, for example "2026-11-20T22:48:00Z".
  std::string checkpoint = {};  ///< Name of the file within the run, "epoch-0005.safetensors".
  int epoch = 0;                ///< Epochs that its weights have been trained.
  std::int64_t step = 0;
  Split split = Split::test;
  std::int64_t images = 0;
  Scores scores = {};
  /// The place of data other than the run's, whose test set it then did not score; empty: the
  /// run's.
  std::string data = {};
  std::string dataSha256 = {};  ///< Of these images, as in DataDigest; empty in earlier versions.

  bool operator==(const EvaluationRecord&) const = default;
};

}  // namespace lambda
