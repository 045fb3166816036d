#include "engine/formats/json/request_json.h"

#include <vector>

#include "engine/formats/json/field_json.h"
#include "engine/formats/json/json.h"
#include "engine/values/config/request_fields.h"

namespace lambda {

namespace {

constexpr JsonLimits kRequestLimits{4096, 4};

/// Removes what is absent: null, and objects without a key.
void removeAbsent(nlohmann::ordered_json& object) {
  for (auto entry = object.begin(); entry != object.end();) {
    if (entry->is_object()) removeAbsent(*entry);
    if (entry->is_null() || (entry->is_object() && entry->empty())) {
      entry = object.erase(entry);
    } else {
      ++entry;
    }
  }
}

}  // namespace

std::string toJson(const RunRequest& request) {
  nlohmann::ordered_json object;
  appendFields(object, request);
  removeAbsent(object);
  return formatJsonLine(object);
}

RunRequest runRequestFromJson(std::string_view text, const std::string& file) {
  std::vector<Problem> unknown;
  const FieldReader reader(file, &unknown);
  const nlohmann::json object = parseJson(text, file, kRequestLimits);
  RunRequest request;
  reader.readFields(object, "", request);
  if (!object.contains("ask")) reader.fail("ask", "it is missing");
  if (!unknown.empty()) reader.fail(unknown.front().path, unknown.front().text);
  return request;
}

}  // namespace lambda
