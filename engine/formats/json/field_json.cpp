#include "engine/formats/json/field_json.h"

#include <algorithm>
#include <limits>

#include "engine/formats/json/schema_upgrades.h"
#include "engine/runtime/error.h"

namespace lambda {

namespace {

constexpr double kMostRepeats = 256;
constexpr std::size_t kLongestQuote = 80;

/// A description of the value for a message.
std::string quoted(const nlohmann::json& json) {
  if (json.is_object()) return "an object";
  if (json.is_array()) return "a list";
  const std::string text = json.dump();
  return text.size() <= kLongestQuote ? text : "a long text";
}

}  // namespace

void FieldReader::fail(const std::string& path,
                       const std::string& reason,
                       const std::string& hint) const {
  throw Error(file_, path.empty() ? reason : path + ": " + reason, hint);
}

std::string FieldReader::join(const std::string& path, std::string_view key) {
  return path.empty() ? std::string(key) : path + "." + std::string(key);
}

FieldReader::Json FieldReader::upgraded(Json document) const {
  requireObject(document, "");
  const auto schema = document.find("schema");
  if (schema == document.end()) {
    fail("",
         "there is no \"schema\" number",
         "Begin the file with \"schema\": " + std::to_string(kSchema) + ".");
  }
  const auto number =
      readInteger<std::int64_t>(*schema, "schema", Field{"schema", "format of the file", 1, 1e9});
  if (number > kSchema) {
    fail("schema",
         std::to_string(number) + " is newer than the schema that this program reads, " +
             std::to_string(kSchema),
         "Open it with the version of Lambda Studio that wrote it, or a newer one.");
  }
  upgradeDocument(document, static_cast<int>(number));
  return document;
}

void FieldReader::requireObject(const Json& json, const std::string& path) const {
  if (!json.is_object()) fail(path, "expected an object, found " + quoted(json));
}

void FieldReader::warnOfUnknown(const Json& json,
                                const std::string& path,
                                const std::vector<std::string_view>& known) const {
  if (!warnings_) return;
  for (const auto& [key, member] : json.items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    const std::string nearest = nearestName(key, known);
    warnings_->push_back({join(path, key.size() <= kLongestQuote ? key : "(a long key)"),
                          Severity::warning,
                          nearest.empty() ? "unknown key, ignored; known here: " + joined(known)
                                          : "unknown key, ignored; did you mean " + nearest + "?",
                          {}});
  }
}

bool FieldReader::readBool(const Json& json, const std::string& path) const {
  if (!json.is_boolean()) fail(path, "expected true or false, found " + quoted(json));
  return json.get<bool>();
}

double FieldReader::readDouble(const Json& json,
                               const std::string& path,
                               const Field& field) const {
  double value = 0;
  if (json.is_number()) {
    value = json.get<double>();
  } else if (json == "NaN") {
    value = std::numeric_limits<double>::quiet_NaN();
  } else if (json == "Infinity") {
    value = std::numeric_limits<double>::infinity();
  } else if (json == "-Infinity") {
    value = -std::numeric_limits<double>::infinity();
  } else {
    fail(path, "expected a number, found " + quoted(json));
  }
  requireRange(value, path, field);
  return value;
}

std::string FieldReader::readString(const Json& json, const std::string& path) const {
  if (!json.is_string()) fail(path, "expected a text, found " + quoted(json));
  return json.get<std::string>();
}

std::size_t FieldReader::readName(const Json& json,
                                  const std::string& path,
                                  std::span<const std::string_view> names) const {
  if (json.is_string()) {
    const auto& name = json.get_ref<const std::string&>();
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] == name) return i;
    }
  }
  fail(path, "expected one of " + joined(names) + ", found " + quoted(json));
}

void FieldReader::requireInteger(const Json& json, const std::string& path) const {
  if (json.is_number_integer()) return;
  const char* form = json.is_number_float() ? " without a decimal point" : "";
  fail(path, std::string("expected a whole number") + form + ", found " + quoted(json));
}

void FieldReader::requireRange(double value, const std::string& path, const Field& field) const {
  const bool isOpen = std::isinf(field.min) && std::isinf(field.max);
  if (isOpen || (value >= field.min && value <= field.max)) return;
  fail(path,
       formatNumber(value) + " is outside " + formatNumber(field.min) + " .. " +
           formatNumber(field.max) + " (" + field.meaning + ")");
}

void FieldReader::requireLength(std::size_t length,
                                const std::string& path,
                                const Field& field) const {
  if (static_cast<double>(length) <= field.max) return;
  fail(path,
       "the list has more than " + formatNumber(field.max) + " elements (" + field.meaning + ")");
}

std::size_t FieldReader::readRepeat(const Json& block, const std::string& path) const {
  const auto repeat = block.find("repeat");
  if (repeat == block.end()) return 1;
  return readInteger<std::size_t>(
      *repeat, join(path, "repeat"), Field{"repeat", "equal blocks in a row", 1, kMostRepeats});
}

}  // namespace lambda
