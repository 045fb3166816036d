#include "engine/formats/json/presets.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "app/command_line/commands/commands.h"
#include "app/command_line/report.h"
#include "app/command_line/run_source.h"
#include "app/command_line/text_table.h"
#include "engine/formats/json/config_json.h"
#include "engine/values/architecture/cost.h"
#include "engine/values/published/published_networks.h"
#include "engine/values/text/quantities.h"
#include "engine/values/text/text_safety.h"

namespace lambda {

namespace {

using Json = nlohmann::ordered_json;

struct PresetsOptions {
  std::optional<std::string> name;
  OutputOptions output;
};

struct Preset {
  std::string name;
  std::string_view group;  ///< That of a published network; empty for a file.
  RunConfig config;
  NetworkCost cost;
};

/// All presets that can be read, those in files first; a damaged file is reported and left out.
std::vector<Preset> loadPresets() {
  std::vector<Preset> presets;
  const auto add = [&](const std::string& name, std::string_view group) {
    try {
      std::vector<Problem> warnings;
      RunConfig config = loadPreset(name, warnings);
      NetworkCost cost = costOf(config.architecture);
      presets.push_back({name, group, std::move(config), std::move(cost)});
    } catch (const Error& error) {
      reportError(error, false);
    }
  };
  const std::vector<std::string> files = presetFileNames();
  for (const std::string& name : files) add(name, {});
  for (const PublishedName& published : publishedNames()) {
    if (std::ranges::find(files, published.name) == files.end())
      add(published.name, published.group);
  }
  return presets;
}

void printAsJson(const std::vector<Preset>& presets) {
  Json list = Json::array();
  for (const Preset& preset : presets) {
    list.push_back({{"name", preset.name},
                    {"group", preset.group},
                    {"pattern", patternOf(preset.config.architecture)},
                    {"parameters", preset.cost.parameters},
                    {"flops", preset.cost.flops},
                    {"data", textOf(preset.config.data.source)},
                    {"epochs", preset.config.recipe.epochs},
                    {"description", preset.config.architecture.description}});
  }
  printJson({{"presets", list}});
}

/// A pattern that fits into a line of the table; that of a deep stage with different mixers does
/// not.
std::string shortPattern(const Architecture& architecture) {
  constexpr std::size_t kMost = 24;
  const std::string pattern = patternOf(architecture);
  return pattern.size() <= kMost ? pattern : pattern.substr(0, kMost - 1) + "…";
}

void printAsText(const std::vector<Preset>& presets) {
  using Align = TextTable::Align;
  constexpr std::size_t kLineWidth = 100;
  TextTable table(
      {{"preset"}, {"pattern"}, {"parameters", Align::right}, {"FLOPs", Align::right}, {"data"}});
  std::string_view group;
  for (const Preset& preset : presets) {
    if (preset.group != group) table.addRule();
    group = preset.group;
    table.addRow({preset.name,
                  shortPattern(preset.config.architecture),
                  formatShortCount(preset.cost.parameters),
                  formatShortCount(preset.cost.flops),
                  textOf(preset.config.data.source)});
  }
  std::string text = table.text() + "\n";
  for (const Preset& preset : presets) {
    if (!preset.group.empty()) continue;
    text += terminalText(preset.name) + "\n    " +
            wrapped(preset.config.architecture.description, kLineWidth, "    ") + "\n";
  }
  printText(text +
            "\nThe others are networks of the literature; MobileNets have any width, such as "
            "mobilenet-v2-0.6.\n"
            "lambda describe NAME shows the layers, lambda train NAME trains it,\n"
            "lambda presets NAME > mine.json starts a network of your own.\n");
}

int run(const PresetsOptions& options) {
  if (options.name) {
    std::vector<Problem> warnings;
    try {
      printContent(toJson(loadPreset(*options.name, warnings)));
    } catch (const Error& error) {
      throw UsageError(error);
    }
    return kExitOk;
  }
  noteMissingPresets();
  const std::vector<Preset> presets = loadPresets();
  if (options.output.json) {
    printAsJson(presets);
  } else {
    printAsText(presets);
  }
  return kExitOk;
}

}  // namespace

void addPresets(CLI::App& program, Action& action) {
  const auto options = std::make_shared<PresetsOptions>();
  CLI::App* command =
      addCommand(program,
                 "presets",
                 "List the networks that come with the program, or print one as JSON",
                 {{"lambda presets", "what there is"},
                  {"lambda presets quickstart > mine.json", "a file to change and train"},
                  {"lambda presets --json", "the list for a script"}});
  command->add_option(
      "NAME", options->name, "print this preset's JSON, complete with all settings");
  addJsonFlag(command, options->output);
  onChosen(command, options, action, run);
}

}  // namespace lambda
