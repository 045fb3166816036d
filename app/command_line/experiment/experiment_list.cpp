#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/command_line/experiment/experiment_commands.h"
#include "app/command_line/report.h"
#include "app/command_line/text_table.h"
#include "engine/experiments/read_experiment.h"
#include "engine/experiments/report/report_numbers.h"
#include "engine/experiments/shipped_experiments.h"
#include "engine/runtime/error.h"
#include "engine/theory/theory.h"
#include "engine/values/text/text_safety.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

using Json = nlohmann::ordered_json;

struct ListOptions {
  std::string folder = kExperimentsFolder;
  OutputOptions output;
};

/// An experiment of the list. A damaged file is reported and left out.
struct Entry {
  std::string name;
  std::string question;
  std::string place;  ///< "shipped", "theory", or the path of its folder.
  std::string state;
};

std::vector<Entry> entriesOf(const ListOptions& options) {
  std::vector<Entry> entries;
  const auto add = [&](const auto& make) {
    try {
      entries.push_back(make());
    } catch (const Error& error) {
      reportError(error, false);
    }
  };
  for (const std::string& name : shippedExperimentNames()) {
    add([&] { return Entry{name, loadShippedExperiment(name).question, "shipped", ""}; });
  }
  for (const TheoryDescription& theory : theoryExperiments()) {
    entries.push_back({theory.name, theory.question, "theory", ""});
  }
  for (const fs::path& path : experimentFoldersIn(options.folder)) {
    add([&] {
      const ExperimentState state = readExperiment(ExperimentFolder::open(path));
      const std::string missing = missingText(state);
      return Entry{state.experiment.name,
                   state.experiment.question,
                   shownPath(path),
                   missing.empty() ? "all runs done" : missing};
    });
  }
  return entries;
}

int list(const ListOptions& options) {
  const std::vector<Entry> entries = entriesOf(options);
  if (options.output.json) {
    Json json = Json::array();
    for (const Entry& entry : entries) {
      json.push_back({{"name", entry.name},
                      {"question", entry.question},
                      {"place", entry.place},
                      {"state", entry.state}});
    }
    printJson({{"experiments", json}});
    return kExitOk;
  }
  std::string text;
  for (const Entry& entry : entries) {
    const bool isShipped = entry.state.empty();
    text += terminalText(isShipped ? entry.name : entry.place) + "\n    " +
            wrapped(terminalText(entry.question), 96, "    ") + "\n";
    if (!isShipped) text += "    " + terminalText(entry.state) + "\n";
  }
  printText(text + "\nlambda experiment run NAME runs one of them.\n");
  return kExitOk;
}

}  // namespace

void addExperimentList(CLI::App& parent, Action& action) {
  const auto options = std::make_shared<ListOptions>();
  CLI::App* command = addCommand(parent,
                                 "list",
                                 "List the experiments that come with the program, and your own",
                                 {{"lambda experiment list", "those in experiments/ as well"},
                                  {"lambda experiment list --json", "for a script"}});
  command->add_option("-o,--out", options->folder, "folder of your experiments")->type_name("DIR");
  addJsonFlag(command, options->output);
  onChosen(command, options, action, list);
}

}  // namespace lambda
