#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "engine/values/run/evaluation_record.h"
#include "engine/values/run/metrics.h"
#include "engine/values/run/run_record.h"

namespace lambda {

struct CheckpointInfo {
  std::string name;
  std::uint64_t bytes = 0;
  int epoch = 0;
  std::int64_t step = 0;
  std::string damage;  ///< Why it can't be read; empty where its header is valid.
};

/// The facts of a run in its folder.
struct RunInfo {
  std::filesystem::path path;
  RunRecord record;
  bool interrupted = false;  ///< Recorded as running without a process: it was killed.
  Metrics metrics;
  std::vector<EvaluationRecord> evaluations;  ///< Scores measured after the run, in their order.
  int testEvaluations = 0;  ///< Number of scorings of the test set, by the run and after it.
  std::vector<CheckpointInfo> checkpoints;  ///< In descending order of progress.
  std::uint64_t diskBytes = 0;              ///< A file with two names counts once.
};

/// Throws Error for a folder that is no run. Damaged checkpoints are reported instead of thrown.
RunInfo readRunInfo(const std::filesystem::path& path);

nlohmann::ordered_json runInfoJson(const RunInfo& info);

std::string runInfoText(const RunInfo& info);

}  // namespace lambda
