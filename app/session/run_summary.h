#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "engine/values/run_record.h"

namespace lambda {

/// A run of the library as lists show it.
struct RunSummary {
  std::filesystem::path path;
  std::string name;  ///< Of the folder.
  /// The content of run.json, in which `testEvaluations` also counts the evaluations beside the
  /// run.
  RunRecord record;
  bool isLive = false;  ///< A process trains in it now.
  std::string problem;  ///< Why run.json can't be read; then `record` is empty.

  bool operator==(const RunSummary&) const = default;
};

}  // namespace lambda
