#include "engine/formats/json/schema_upgrades.h"

#include <array>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace lambda {

namespace {

/// A value that documents up to a schema have another name for.
struct RenamedValue {
  int lastSchema;
  std::string_view owner;  ///< The key of the object that has `key`.
  std::string_view key;
  std::string_view before;
  std::string_view now;
};

constexpr std::array kRenamedValues{
    // The four convolutions of ResNet-RS; He et al. (2018) pool after three.
    RenamedValue{1, "stem", "kind", "resnetD", "resnetRS"},
};

/// Renames the value in `owner`, and in all that lies below it.
void renameIn(nlohmann::json& owner, const std::string& name, const RenamedValue& value) {
  for (auto& [key, member] : owner.items()) {
    if (name == value.owner && key == value.key && member == value.before) {
      member = value.now;
    } else if (member.is_structured()) {
      renameIn(member, key, value);
    }
  }
}

}  // namespace

void upgradeDocument(nlohmann::json& document, int schema) {
  for (const RenamedValue& value : kRenamedValues) {
    if (schema <= value.lastSchema) renameIn(document, "", value);
  }
}

}  // namespace lambda
