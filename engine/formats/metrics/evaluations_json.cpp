#include "engine/formats/metrics/evaluations_json.h"

#include "engine/formats/files/durable_file.h"
#include "engine/formats/json/field_json.h"
#include "engine/formats/json/json.h"
#include "engine/runtime/error.h"
#include "engine/values/config/record_fields.h"

namespace lambda {

namespace {

constexpr JsonLimits kRecordLimits{1 << 16, 4};
constexpr std::uint64_t kMaxBytes = 64ULL << 20;

}  // namespace

std::string toLine(const EvaluationRecord& record) {
  nlohmann::ordered_json line;
  appendFields(line, record);
  return formatJsonLine(line) + "\n";
}

Evaluations evaluationsFromText(std::string_view text) {
  Evaluations evaluations;
  for (int number = 1;; ++number) {
    const auto newline = text.find('\n');
    if (newline == std::string_view::npos) return evaluations;
    // A writer ends the line that another one is just writing, which leaves an empty one behind.
    if (newline > 0) {
      try {
        EvaluationRecord record;
        FieldReader("", nullptr)
            .readFields(parseJson(text.substr(0, newline), "", kRecordLimits), "", record);
        evaluations.records.push_back(std::move(record));
      } catch (const Error& error) {
        evaluations.warnings.push_back("line " + std::to_string(number) + ": " +
                                       reasonWithinLine(error));
      }
    }
    text.remove_prefix(newline + 1);
  }
}

Evaluations readEvaluations(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return {};
  return evaluationsFromText(readFile(file, kMaxBytes));
}

}  // namespace lambda
