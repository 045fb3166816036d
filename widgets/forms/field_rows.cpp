#include "widgets/forms/field_rows.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "widgets/forms/number_text.h"

namespace lambda {

std::vector<FieldRow> mergedRows(const std::vector<std::vector<FieldRow>>& rows) {
  if (rows.empty()) return {};
  std::vector<FieldRow> merged = rows.front();
  for (FieldRow& row : merged) {
    for (const std::vector<FieldRow>& others : rows) {
      const FieldRow* other = findRow(others, row.path);
      if (!other || other->value != row.value) row.mixed = true;
    }
  }
  return merged;
}

const FieldRow* findRow(const std::vector<FieldRow>& rows, std::string_view path) {
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const FieldRow& row) { return row.path == path; });
  return found == rows.end() ? nullptr : &*found;
}

std::string textOf(const FieldRow& row, const FieldValue& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "on" : "off";
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* choice = std::get_if<Choice>(&value)) {
    if (choice->index < 0 || choice->index >= static_cast<int>(choice->names.size())) return {};
    return choiceLabel(row.path, choice->names[static_cast<std::size_t>(choice->index)]);
  }
  if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    if (row.isUnsigned) return std::to_string(static_cast<std::uint64_t>(*whole));
    if (*whole == 0 && !row.zeroText.empty()) return row.zeroText;
    return std::to_string(*whole);
  }
  const double number = std::get<double>(value);
  if (number == 0 && !row.zeroText.empty()) return row.zeroText;
  return shortestText(number);
}

field_rows::PathParts field_rows::partsOf(std::string_view path) {
  const std::size_t end = std::min(path.find_first_of(".["), path.size());
  std::string_view rest = path.substr(end);
  if (rest.starts_with('.')) rest.remove_prefix(1);
  return {path.substr(0, end), rest};
}

bool field_rows::takeIndex(std::string_view& path, std::size_t& index) {
  const std::size_t close = path.find(']');
  if (!path.starts_with('[') || close == std::string_view::npos) return false;
  const char* end = path.data() + close;
  const auto parsed = std::from_chars(path.data() + 1, end, index);
  if (parsed.ec != std::errc() || parsed.ptr != end) return false;
  path.remove_prefix(close + 1);
  if (path.starts_with('.')) path.remove_prefix(1);
  return true;
}

}  // namespace lambda
