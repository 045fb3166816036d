#include "engine/formats/json/config_changes.h"

#include "engine/formats/json/field_json.h"
#include "engine/formats/json/json.h"

namespace lambda {

namespace {

using Json = nlohmann::ordered_json;

void compare(const std::string& path,
             const Json& before,
             const Json& after,
             std::vector<ConfigChange>& changes) {
  if (before == after) return;
  if (before.is_object() && after.is_object()) {
    for (const auto& [key, value] : before.items()) {
      const std::string place = FieldReader::join(path, key);
      if (after.contains(key)) {
        compare(place, value, after[key], changes);
      } else {
        changes.push_back({place, formatJsonLine(value), "nothing"});
      }
    }
    for (const auto& [key, value] : after.items()) {
      if (before.contains(key)) continue;
      changes.push_back({FieldReader::join(path, key), "nothing", formatJsonLine(value)});
    }
    return;
  }
  if (before.is_array() && after.is_array() && before.size() == after.size()) {
    for (std::size_t i = 0; i < before.size(); ++i) {
      compare(path + "[" + std::to_string(i) + "]", before[i], after[i], changes);
    }
    return;
  }
  changes.push_back({path, formatJsonLine(before), formatJsonLine(after)});
}

}  // namespace

std::vector<ConfigChange> configChanges(const RunConfig& before, const RunConfig& after) {
  std::vector<ConfigChange> changes;
  compare("", jsonOf(before), jsonOf(after), changes);
  return changes;
}

std::string toText(const std::vector<ConfigChange>& changes) {
  std::string text;
  for (const ConfigChange& change : changes) {
    text += (text.empty() ? "" : ", ") + change.path + " " + change.before + " -> " + change.after;
  }
  return text;
}

}  // namespace lambda
