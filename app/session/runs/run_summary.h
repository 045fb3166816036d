#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include <QString>

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

/// The name that a person gave the run, else that of its folder, in one line.
QString shownName(const RunRecord& record, const std::filesystem::path& run);
QString shownName(const RunSummary& run);

}  // namespace lambda
