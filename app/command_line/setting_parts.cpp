#include "app/command_line/setting_parts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string_view>
#include <type_traits>

#include "app/command_line/text_table.h"
#include "engine/values/config/enum_names.h"
#include "engine/values/config/fields.h"
#include "engine/values/text/text.h"

namespace lambda {

namespace {

using Json = nlohmann::ordered_json;

void setNames(Setting& setting, std::span<const std::string_view> names, std::size_t index) {
  setting.range = joined(names);
  setting.values = Json::array();
  for (const std::string_view name : names) setting.values.push_back(name);
  setting.defaultValue = names[index];
}

/// A number without a range of its own is limited by its type.
template <class M>
std::string rangeText(const Field& field) {
  const auto boundText = [](double bound, M limit) {
    if (std::isfinite(bound)) return formatNumber(bound);
    return std::is_integral_v<M> ? std::to_string(limit) : std::string("any");
  };
  return boundText(field.min, std::numeric_limits<M>::lowest()) + " to " +
         boundText(field.max, std::numeric_limits<M>::max());
}

template <class M>
Setting settingOf(const Field& field, const M& member) {
  Setting setting;
  setting.name = field.name;
  setting.meaning = field.meaning;
  if constexpr (std::is_same_v<M, bool>) {
    setting.range = "true, false";
    setting.defaultValue = member;
  } else if constexpr (std::is_arithmetic_v<M>) {
    if (std::isfinite(field.min)) setting.min = field.min;
    if (std::isfinite(field.max)) setting.max = field.max;
    setting.range = rangeText<M>(field);
    setting.defaultValue = member;
  } else if constexpr (std::is_enum_v<M>) {
    setNames(setting, kNamesOf<M>.names, static_cast<std::size_t>(member));
  } else if constexpr (HasOptionsBeside<M>) {
    setNames(setting, KindsOf<M>::names, member.index());
  } else {
    static_assert(std::is_same_v<M, std::string>);
    setting.range = "text";
    setting.defaultValue = member;
  }
  return setting;
}

template <class M>
inline constexpr bool kIsSingle = std::is_arithmetic_v<M> || std::is_enum_v<M> ||
                                  std::is_same_v<M, std::string> || HasOptionsBeside<M>;

/// The settings of a value that are single values; nested values are separate parts. Those that
/// only other kinds have stand before the next one that all have.
template <class T>
std::vector<Setting> settingsOf(const T& value) {
  std::vector<Setting> settings;
  withEachKind(value, [&](const T& each) {
    std::vector<Setting> missing;
    visitFields(each, [&](const Field& field, const auto& member) {
      if constexpr (kIsSingle<std::remove_cvref_t<decltype(member)>>) {
        const auto known = std::ranges::find(settings, field.name, &Setting::name);
        if (known == settings.end()) {
          missing.push_back(settingOf(field, member));
        } else {
          settings.insert(known, missing.begin(), missing.end());
          missing.clear();
        }
      }
    });
    settings.insert(settings.end(), missing.begin(), missing.end());
  });
  return settings;
}

/// The settings inside a value, as a part for each value with settings of its own.
template <class T>
void addParts(const T& value, const Part& about, std::vector<Part>& parts) {
  if constexpr (HasKinds<T>) {
    for (const std::string_view kind : KindsOf<T>::names) {
      Part part = about;
      part.name += " " + std::string(kind);
      std::visit([&](const auto& options) { part.settings = settingsOf(options); },
                 valueOfKind<T>(static_cast<std::size_t>(
                     std::ranges::find(KindsOf<T>::names, kind) - KindsOf<T>::names.begin())));
      parts.push_back(std::move(part));
    }
  } else {
    Part part = about;
    part.settings = settingsOf(value);
    if (!part.settings.empty()) parts.push_back(std::move(part));
    visitFields(value, [&](const Field& field, const auto& member) {
      using M = std::remove_cvref_t<decltype(member)>;
      if constexpr (std::is_class_v<M> && !kIsSingle<M> && !std::is_same_v<M, Architecture>) {
        const std::string path = about.path.empty() ? field.name : about.path + "." + field.name;
        addParts(member, {field.name, field.meaning, path, {}}, parts);
      }
    });
  }
}

std::string defaultText(const Json& value) {
  if (value == "") return "\"\"";
  if (value.is_string()) return value.get<std::string>();
  return value.is_number_float() ? formatNumber(value.get<double>()) : value.dump();
}

std::string textOf(const Part& part) {
  std::string text = part.name + ": " + part.meaning + "\n";
  if (!part.path.empty()) text += "  " + part.path + "\n";
  TextTable table({{"setting"}, {"default"}, {"possible"}, {"meaning"}});
  for (const Setting& setting : part.settings) {
    table.addRow({setting.name, defaultText(setting.defaultValue), setting.range, setting.meaning});
  }
  return text + table.text("    ") + "\n";
}

}  // namespace

std::vector<Part> mixerParts() {
  std::vector<Part> parts;
  for (std::size_t kind = 0; kind < kMixerKindCount; ++kind) {
    const MixerTraits& traits = kMixerTraits[kind];
    std::visit(
        [&](const auto& mixer) {
          parts.push_back({std::string(traits.kind),
                           std::string(traits.meaning),
                           "architecture.stages[*].blocks[*].mixer",
                           settingsOf(mixer)});
        },
        valueOfKind<Mixer>(kind));
  }
  return parts;
}

std::vector<Part> networkParts() {
  return {{"network", "settings that all parts share", "architecture", settingsOf(Architecture{})},
          {"stem", "the first convolutions", "architecture.stem", settingsOf(Stem{})},
          {"stage", "blocks of one width", "architecture.stages[*]", settingsOf(Stage{})},
          {"block",
           "everything around a mixer",
           "architecture.stages[*].blocks[*]",
           settingsOf(Block{})},
          {"head", "pooling and classifier", "architecture.head", settingsOf(Head{})}};
}

std::vector<Part> runParts() {
  std::vector<Part> parts;
  addParts(RunConfig{}, {"run", "settings of the whole run", "", {}}, parts);
  return parts;
}

Json partsJson(const std::vector<Part>& parts) {
  Json list = Json::array();
  for (const Part& part : parts) {
    Json settings = Json::array();
    for (const Setting& setting : part.settings) {
      Json entry{
          {"name", setting.name}, {"meaning", setting.meaning}, {"default", setting.defaultValue}};
      if (!setting.min.is_null()) entry["min"] = setting.min;
      if (!setting.max.is_null()) entry["max"] = setting.max;
      if (!setting.values.is_null()) entry["values"] = setting.values;
      settings.push_back(std::move(entry));
    }
    list.push_back({{"name", part.name},
                    {"meaning", part.meaning},
                    {"path", part.path},
                    {"settings", settings}});
  }
  return list;
}

std::string partsText(const std::vector<Part>& parts) {
  std::string text;
  for (const Part& part : parts) text += textOf(part);
  return text;
}

}  // namespace lambda
