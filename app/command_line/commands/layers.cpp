#include "app/command_line/commands/commands.h"
#include "app/command_line/report.h"
#include "app/command_line/setting_parts.h"

namespace lambda {

namespace {

struct LayersOptions {
  OutputOptions output;
};

int run(const LayersOptions& options) {
  if (options.output.json) {
    printJson({{"mixers", partsJson(mixerParts())}, {"parts", partsJson(networkParts())}});
    return kExitOk;
  }
  printText("MIXERS: what a block uses to bring information from one place to another\n\n" +
            partsText(mixerParts()) + "AROUND THEM: the parts of a network\n\n" +
            partsText(networkParts()) +
            "Set them in a JSON file (lambda presets NAME > mine.json) or with --set, for example\n"
            "  lambda train quickstart --set 'architecture.stages[*].blocks[*].mixer.k=8'\n");
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
