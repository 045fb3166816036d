#include <algorithm>
#include <string>
#include <vector>

#include "app/command_line/commands/commands.h"
#include "app/command_line/report.h"
#include "app/command_line/setting_parts.h"

namespace lambda {

namespace {

struct SettingsOptions {
  std::string word;
  OutputOptions output;
};

/// The parts whose path or name, and the settings whose name or meaning, contain the word.
std::vector<Part> matching(std::vector<Part> parts, const std::string& word) {
  const auto has = [&](const std::string& text) { return text.find(word) != std::string::npos; };
  for (Part& part : parts) {
    if (has(part.path) || has(part.name)) continue;
    std::erase_if(part.settings, [&](const Setting& setting) {
      return !has(setting.name) && !has(setting.meaning) && !has(part.path + "." + setting.name);
    });
  }
  std::erase_if(parts, [](const Part& part) { return part.settings.empty(); });
  return parts;
}

int run(const SettingsOptions& options) {
  std::vector<Part> parts = runParts();
  for (const std::vector<Part>& more : {networkParts(), mixerParts()}) {
    parts.insert(parts.end(), more.begin(), more.end());
  }
  parts = matching(std::move(parts), options.word);
  if (parts.empty()) {
    throw Error(
        options.word, "no setting has this in its name or meaning", "List all: lambda settings");
  }
  if (options.output.json) {
    printJson({{"parts", partsJson(parts)}});
    return kExitOk;
  }
  printText(partsText(parts) +
            "Set them in a JSON file (lambda presets NAME > mine.json) or with --set "
            "PATH.SETTING=VALUE,\n"
            "for example --set recipe.optimizer.learningRate=0.05\n");
  return kExitOk;
}

}  // namespace

void addSettings(CLI::App& program, Action& action) {
  const auto options = std::make_shared<SettingsOptions>();
  CLI::App* command =
      addCommand(program,
                 "settings",
                 "List all settings of a run and its network, with ranges and meanings",
                 {{"lambda settings", "all of them"},
                  {"lambda settings checkpoint", "those that have to do with checkpoints"},
                  {"lambda settings --json", "the same for a script"}});
  command->add_option("WORD", options->word, "only settings with this in their name or meaning");
  addJsonFlag(command, options->output);
  onChosen(command, options, action, run);
}

}  // namespace lambda
