#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "engine/values/run/run_record.h"

namespace lambda {

/// A run of the library for lists.
struct RunSummary {
  std::filesystem::path path;
  std::string name;  ///< The folder's name.
  /// The content of run.json, except that `testEvaluations` includes the evaluations beside the
  /// run.
  RunRecord record;
  bool isLive = false;  ///< A process is training it.
  std::string problem;  ///< Why run.json can't be read; then `record` is empty.

  bool operator==(const RunSummary&) const = default;
};

}  // namespace lambda
