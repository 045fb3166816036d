#include "engine/experiments/report/experiment_report.h"

#include <string>
#include <system_error>

#include "app/command_line/experiment/experiment_commands.h"
#include "app/command_line/report.h"
#include "app/command_line/run_location.h"
#include "engine/experiments/read_experiment.h"
#include "engine/formats/files/durable_file.h"
#include "engine/runtime/error.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

struct ReportOptions {
  std::string experiment;
  std::string out;
};

int report(const ReportOptions& options) {
  requireNoFileOfRun(options.out);
  const ExperimentFolder folder = findExperiment(options.experiment);
  const ExperimentState state = readExperiment(folder);
  const fs::path out = options.out;
  std::error_code error;
  fs::create_directories(out, error);
  if (error) {
    throw Error(out.string(),
                "the folder can't be created: " + error.message(),
                "Choose a folder that you may write to.");
  }
  for (const auto& [name, text] : {std::pair{"report.md", markdownReport(state)},
                                   std::pair{"report.tex", latexReport(state)},
                                   std::pair{"runs.csv", runsCsv(state)},
                                   std::pair{"results.csv", resultsCsv(state)}}) {
    writeFileDurably(out / name, text);
    printText(shownPath(out / name) + "\n");
  }
  return kExitOk;
}

}  // namespace

void addExperimentReport(CLI::App& parent, Action& action) {
  const auto options = std::make_shared<ReportOptions>();
  CLI::App* command = addCommand(
      parent,
      "report",
      "Write the tables of an experiment as Markdown, LaTeX and CSV",
      {{"lambda experiment report content-position --out report",
        "report.md, report.tex, runs.csv and results.csv"}},
      "The same runs give the same bytes. Every mean stands with its deviation and its 95 %\n"
      "interval, and every difference with the interval of the pairs.");
  command
      ->add_option("EXPERIMENT",
                   options->experiment,
                   "the folder of an experiment, or the name of one in experiments/")
      ->required();
  command->add_option("-o,--out", options->out, "folder for the files")
      ->type_name("DIR")
      ->required();
  onChosen(command, options, action, report);
}

}  // namespace lambda
