#include <cmath>
#include <iostream>
#include <string>
#include <type_traits>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/command_line/commands/commands.h"
#include "app/command_line/report.h"
#include "app/command_line/text_table.h"
#include "engine/values/config/enum_names.h"
#include "engine/values/config/fields.h"
#include "engine/values/text/text.h"

namespace lambda {

namespace {

using Json = nlohmann::ordered_json;

struct LayersOptions {
  OutputOptions output;
};

/// One setting of a part of a network, described by its field.
struct Setting {
  std::string name;
  std::string meaning;
  std::string range;
  Json defaultValue;
  Json min;
  Json max;
  Json values;
};

struct Part {
  std::string name;
  std::string meaning;
  std::string path;  ///< The path in a configuration.
  std::vector<Setting> settings;
};

template <class Enum>
Json namesJson() {
  Json names = Json::array();
  for (const std::string_view name : EnumNames<Enum>::names) names.push_back(name);
  return names;
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
    setting.range = formatNumber(field.min) + " to " + formatNumber(field.max);
    setting.defaultValue = member;
  } else if constexpr (std::is_enum_v<M>) {
    setting.range = joined(EnumNames<M>::names);
    setting.values = namesJson<M>();
    setting.defaultValue = nameOf(member);
  } else {
    static_assert(std::is_same_v<M, std::string>);
    setting.range = "text";
    setting.defaultValue = member;
  }
  return setting;
}

/// The settings of a value that are single values; nested values are separate parts.
template <class T>
std::vector<Setting> settingsOf(const T& value) {
  std::vector<Setting> settings;
  visitFields(value, [&](const Field& field, const auto& member) {
    using M = std::remove_cvref_t<decltype(member)>;
    if constexpr (std::is_arithmetic_v<M> || std::is_enum_v<M> || std::is_same_v<M, std::string>) {
      settings.push_back(settingOf(field, member));
    }
  });
  return settings;
}

std::vector<Part> mixers() {
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
        mixerOfKind(kind));
  }
  return parts;
}

std::vector<Part> surroundings() {
  return {{"network", "settings that all parts share", "architecture", settingsOf(Architecture{})},
          {"stem", "the first convolutions", "architecture.stem", settingsOf(Stem{})},
          {"stage", "blocks of one width", "architecture.stages[*]", settingsOf(Stage{})},
          {"block",
           "everything around a mixer",
           "architecture.stages[*].blocks[*]",
           settingsOf(Block{})},
          {"head", "pooling and classifier", "architecture.head", settingsOf(Head{})}};
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

std::string defaultText(const Json& value) {
  if (value == "") return "\"\"";
  if (value.is_string()) return value.get<std::string>();
  return value.is_number_float() ? formatNumber(value.get<double>()) : value.dump();
}

void printPart(const Part& part) {
  std::cout << part.name << ": " << part.meaning << "\n  " << part.path << "\n";
  TextTable table({{"setting"}, {"default"}, {"possible"}, {"meaning"}});
  for (const Setting& setting : part.settings) {
    table.addRow({setting.name, defaultText(setting.defaultValue), setting.range, setting.meaning});
  }
  std::cout << table.text("    ") << "\n";
}

int run(const LayersOptions& options) {
  if (options.output.json) {
    printJson({{"mixers", partsJson(mixers())}, {"parts", partsJson(surroundings())}});
    return kExitOk;
  }
  std::cout << "MIXERS: what a block uses to bring information from one place to another\n\n";
  for (const Part& part : mixers()) printPart(part);
  std::cout << "AROUND THEM: the parts of a network\n\n";
  for (const Part& part : surroundings()) printPart(part);
  std::cout
      << "Set them in a JSON file (lambda presets NAME > mine.json) or with --set, for example\n"
         "  lambda train quickstart --set 'architecture.stages[*].blocks[*].mixer.k=8'\n";
  return kExitOk;
}

}  // namespace

void addLayers(CLI::App& program, Action& action) {
  const auto options = std::make_shared<LayersOptions>();
  CLI::App* command = addCommand(program,
                                 "layers",
                                 "List what networks are made of, with all settings and defaults",
                                 {{"lambda layers", "all parts with their settings"},
                                  {"lambda layers --json", "the same for a script"}});
  addJsonFlag(command, options->output);
  onChosen(command, options, action, run);
}

}  // namespace lambda
