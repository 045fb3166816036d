#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/values/run/evaluation_record.h"

namespace lambda {

/// One line of evaluations.jsonl, with its newline.
std::string toLine(const EvaluationRecord& record);

struct Evaluations {
  std::vector<EvaluationRecord> records;
  std::vector<std::string>
      warnings;  ///< One for each line that could not be read, with its number.
};

/// All evaluations of a text. A line that can't be read is left out with a warning; an incomplete
/// last line, as a full disk leaves it, is left out without one.
Evaluations evaluationsFromText(std::string_view text);

/// All evaluations of a file; a missing file has none. Throws Error if the file can't be read, is
/// not a regular file, or is larger than 64 MiB.
Evaluations readEvaluations(const std::filesystem::path& file);

}  // namespace lambda
