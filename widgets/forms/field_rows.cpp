#include "widgets/forms/field_rows.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include "engine/values/config/settings.h"
#include "widgets/forms/number_text.h"

namespace lambda {

std::string field_rows::capitalized(std::string_view name) {
  std::string text(name);
  if (!text.empty()) {
    text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  }
  return text;
}

FieldRow field_rows::emptyRow(const std::string& path, const Field& field) {
  FieldRow row;
  row.path = path;
  row.label = *field.look.label ? field.look.label : capitalized(field.name);
  row.meaning = field.meaning;
  row.hint = field.hint;
  row.unit = field.look.unit;
  row.zeroText = field.look.zeroText;
  row.stepping = field.look.stepping;
  row.min = field.min;
  row.max = field.max;
  return row;
}

std::string labelAt(std::string_view path) {
  const auto field = fieldAt(path);
  return field ? field_rows::emptyRow(std::string(path), *field).label
               : field_rows::capitalized(path.substr(path.rfind('.') + 1));
}

std::string choiceLabel(const FieldRow& row, const Choice& choice) {
  const auto index = static_cast<std::size_t>(choice.index);
  const bool hasLabel = index < row.choiceLabels.size() && !row.choiceLabels[index].empty();
  return hasLabel ? row.choiceLabels[index] : field_rows::capitalized(choice.names[index]);
}

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
    return choiceLabel(row, *choice);
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
