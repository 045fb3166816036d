#pragma once

#include <cstdint>
#include <string>

#include "engine/values/inspection.h"
#include "engine/values/metrics.h"

namespace lambda {

/// The score of one checkpoint of a run, measured beside the run: a line of its evaluations.jsonl.
/// The run's own result is that of its own end and stands in its record.
struct EvaluationRecord {
  std::string time = {};        ///< UTC, ISO 8601, for example "2026-11-20T22:48:00Z".
  std::string checkpoint = {};  ///< Name of the file within the run, "epoch-0005.safetensors".
  int epoch = 0;                ///< Epochs that its weights have been trained.
  std::int64_t step = 0;
  Split split = Split::test;
  std::int64_t images = 0;
  Scores scores = {};

  bool operator==(const EvaluationRecord&) const = default;
};

}  // namespace lambda
