#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "engine/values/evaluation_record.h"
#include "engine/values/metrics.h"
#include "engine/values/run_record.h"

namespace lambda {

struct CheckpointInfo {
  std::string name;
  std::uint64_t bytes = 0;
  int epoch = 0;
  std::int64_t step = 0;
  std::string damage;  ///< Why it can't be read; empty for a good header.
};

/// What a run folder tells of its run.
struct RunInfo {
  std::filesystem::path path;
  RunRecord record;
  bool interrupted = false;  ///< Recorded as running, but nobody runs it: it was killed.
  Metrics metrics;
  std::vector<EvaluationRecord> evaluations;  ///< Measured beside the run, in their order.
  int testEvaluations = 0;  ///< How often the test set was scored, by the run and beside it.
  std::vector<CheckpointInfo> checkpoints;  ///< The most advanced first.
  std::uint64_t diskBytes = 0;              ///< A file with two names counts once.
};

/// Throws Error for what is no run folder. Damaged checkpoints are told, not thrown.
RunInfo readRunInfo(const std::filesystem::path& path);

nlohmann::ordered_json runInfoJson(const RunInfo& info);

std::string runInfoText(const RunInfo& info);

}  // namespace lambda
