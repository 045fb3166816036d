#include "engine/formats/json/presets.h"

#include <iostream>
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
  RunConfig config;
  NetworkCost cost;
};

/// All presets that can be read; a damaged file is reported and left out.
std::vector<Preset> loadPresets() {
  std::vector<Preset> presets;
  for (const std::string& name : presetNames()) {
    try {
      std::vector<Problem> warnings;
      RunConfig config = loadPreset(name, warnings);
      NetworkCost cost = costOf(config.architecture);
      presets.push_back({name, std::move(config), std::move(cost)});
    } catch (const Error& error) {
      reportError(error, false);
    }
  }
  return presets;
}

void printAsJson(const std::vector<Preset>& presets) {
  Json list = Json::array();
  for (const Preset& preset : presets) {
    list.push_back({{"name", preset.name},
                    {"pattern", patternOf(preset.config.architecture)},
                    {"parameters", preset.cost.parameters},
                    {"flops", preset.cost.flops},
                    {"data", textOf(preset.config.data.source)},
                    {"epochs", preset.config.recipe.epochs},
                    {"description", preset.config.architecture.description}});
  }
  printJson({{"presets", list}});
}

void printAsText(const std::vector<Preset>& presets) {
  using Align = TextTable::Align;
  constexpr std::size_t kLineWidth = 100;
  TextTable table(
      {{"preset"}, {"pattern"}, {"parameters", Align::right}, {"FLOPs", Align::right}, {"data"}});
  for (const Preset& preset : presets) {
    table.addRow({preset.name,
                  patternOf(preset.config.architecture),
                  formatShortCount(preset.cost.parameters),
                  formatShortCount(preset.cost.flops),
                  textOf(preset.config.data.source)});
  }
  std::string text = table.text() + "\n";
  for (const Preset& preset : presets) {
    text += terminalText(preset.name) + "\n    " +
            wrapped(preset.config.architecture.description, kLineWidth, "    ") + "\n";
  }
  printText(text +
            "\nlambda describe NAME shows the layers, lambda train NAME trains it,\n"
            "lambda presets NAME > mine.json starts a network of your own.\n");
}

int run(const PresetsOptions& options) {
  if (options.name) {
    std::vector<Problem> warnings;
    try {
      std::cout << toJson(loadPreset(*options.name, warnings));
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
