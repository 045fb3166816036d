#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/values/evaluation_record.h"

namespace lambda {

/// One line of evaluations.jsonl, with its newline.
std::string toLine(const EvaluationRecord& record);

struct Evaluations {
  std::vector<EvaluationRecord> records;
  std::vector<std::string> warnings;  ///< Of lines that could not be read, each with its number.
};

/// All evaluations of a text. A line that can't be read is left out with a warning; a torn last
/// line, as a full disk leaves it, without one.
Evaluations evaluationsFromText(std::string_view text);

/// All evaluations of a file; a missing file has none. Throws Error where it can't be read, is no
/// regular file, or is beyond 64 MiB.
Evaluations readEvaluations(const std::filesystem::path& file);

}  // namespace lambda
