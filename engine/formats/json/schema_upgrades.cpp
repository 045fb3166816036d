#include "engine/formats/json/schema_upgrades.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/values/config/fields.h"

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

/// The last schema whose stems, optimisers and schedules have the options of all kinds.
constexpr int kLastWithAllOptions = 2;

/// Drops the options of other kinds than the one of a stem, an optimiser or a schedule.
template <class Config>
void dropOtherOptions(nlohmann::json& json) {
  if (!json.is_object()) return;
  const auto& kinds = KindsOf<decltype(Config::kind)>::names;
  const nlohmann::json kind =
      json.contains("kind") ? json["kind"] : nlohmann::json(kinds[Config{}.kind.index()]);
  std::vector<std::string_view> own, all;
  const auto namesOf = [](const Config& config, std::vector<std::string_view>& names) {
    visitFields(config, [&](const Field& field, const auto&) {
      names.push_back(field.name);
      if (field.formerName != nullptr) names.push_back(field.formerName);
    });
  };
  withEachKind(Config{}, [&](const Config& each) {
    if (kind == kinds[each.kind.index()]) namesOf(each, own);
    namesOf(each, all);
  });
  // A kind that is unknown is left to the reader.
  if (own.empty()) return;
  for (const std::string_view name : all) {
    if (std::ranges::find(own, name) == own.end()) json.erase(std::string(name));
  }
}

/// Does so for every network and recipe in a document.
void dropOtherOptionsIn(nlohmann::json& owner) {
  for (auto& [key, member] : owner.items()) {
    if (key == "recipe" && member.is_object()) {
      if (member.contains("optimizer")) dropOtherOptions<OptimizerConfig>(member["optimizer"]);
      if (member.contains("schedule")) dropOtherOptions<ScheduleConfig>(member["schedule"]);
    } else if (key == "stem") {
      dropOtherOptions<Stem>(member);
    } else if (member.is_structured()) {
      dropOtherOptionsIn(member);
    }
  }
}

/// The last schema in which the image counts of shapes10 may stand beside the data source.
constexpr int kLastWithCountsBeside = 1;

void moveCounts(nlohmann::json& data) {
  for (const auto& [before, now] : {std::pair("generatedTrainCount", "trainCount"),
                                    std::pair("generatedTestCount", "testCount")}) {
    if (!data.contains(before)) continue;
    auto& source = data.emplace("source", "shapes10").first.value();
    if (source == "shapes10") source = {{"kind", "shapes10"}};
    const bool isDrawn =
        source.is_object() && source.contains("kind") && source["kind"] == "shapes10";
    if (isDrawn) source[now] = data[before];
    data.erase(before);
  }
}

/// Moves the counts of every run in a document into its data source.
void moveCountsIn(nlohmann::json& owner) {
  for (auto& [key, member] : owner.items()) {
    if (key == "data" && member.is_object()) {
      moveCounts(member);
    } else if (member.is_structured()) {
      moveCountsIn(member);
    }
  }
}

}  // namespace

void upgradeDocument(nlohmann::json& document, int schema) {
  for (const RenamedValue& value : kRenamedValues) {
    if (schema <= value.lastSchema) renameIn(document, "", value);
  }
  if (schema <= kLastWithCountsBeside) moveCountsIn(document);
  if (schema <= kLastWithAllOptions) dropOtherOptionsIn(document);
}

}  // namespace lambda
